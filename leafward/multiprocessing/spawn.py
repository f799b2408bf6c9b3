"""``spawn``: one function in several processes, whose first failure ends the others and is told with its traceback."""
import multiprocessing
import os
import pickle
import signal
import tempfile
import time
import traceback
from multiprocessing import connection


class ProcessException(Exception):
    """A process did not end well."""

    def __init__(self, msg, error_index, pid):
        super().__init__(msg)
        self.msg, self.error_index, self.pid = msg, error_index, pid

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.pid)


class ProcessRaisedException(ProcessException):
    """The function raised in a process; the message has its traceback."""

    def __init__(self, msg, error_index, error_pid):
        super().__init__(msg, error_index, error_pid)


class ProcessExitedException(ProcessException):
    """A process was killed, or left with an exit code."""

    def __init__(self, msg, error_index, error_pid, exit_code, signal_name=None):
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.pid, self.exit_code, self.signal_name)


def run(function, number, args, error_file):
    """What each process does."""
    try:
        function(number, *args)
    except KeyboardInterrupt:
        pass                                    # the parent has it too, and says so
    except Exception:
        with open(error_file, "wb") as file:
            pickle.dump(traceback.format_exc(), file)
        raise SystemExit(1) from None


class ProcessContext:
    """Running processes. :meth:`join` waits for them."""

    def __init__(self, processes, error_files):
        self.processes, self.error_files = processes, error_files
        self.sentinels = {process.sentinel: number for number, process in enumerate(processes)}

    def pids(self):
        """The process ids."""
        return [int(process.pid) for process in self.processes]

    def join(self, timeout=None, grace_period=None):
        """Wait until a process ends: True when none is left. If one failed, end the others and raise its error.

        ``grace_period``: so many seconds the others have to end by themselves, before they are terminated.
        """
        if not self.sentinels:
            return True
        failed = None
        for sentinel in connection.wait(list(self.sentinels), timeout):
            number = self.sentinels.pop(sentinel)
            self.processes[number].join()
            if self.processes[number].exitcode:
                failed = number
                break
        if failed is None:
            if not self.sentinels:
                self._forget_errors()
            return not self.sentinels
        self._end_others(grace_period)
        raise self._error_of(failed)

    def _end_others(self, grace_period):
        end = time.monotonic() + (grace_period or 0)
        for process in self.processes:
            process.join(max(0.0, end - time.monotonic()))
        for process in self.processes:
            if process.is_alive():
                process.terminate()
        end = time.monotonic() + 30
        for process in self.processes:
            process.join(max(0.0, end - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()

    def _error_of(self, number):
        process, path = self.processes[number], self.error_files[number]
        try:
            if os.path.getsize(path):
                with open(path, "rb") as file:
                    told = pickle.load(file)
                return ProcessRaisedException(f"\n\n-- Process {number} terminated with the following error:\n{told}",
                                              number, process.pid)
        finally:
            self._forget_errors()
        code = process.exitcode
        if code < 0:
            name = signal.Signals(-code).name
            return ProcessExitedException(f"process {number} terminated with signal {name}", number, process.pid, code,
                                          name)
        return ProcessExitedException(f"process {number} terminated with exit code {code}", number, process.pid, code)

    def _forget_errors(self):
        for path in self.error_files:
            if os.path.exists(path):
                os.unlink(path)


#: PyTorch's older name.
SpawnContext = ProcessContext


def start_processes(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """Call ``fn(number, *args)`` in ``nprocs`` processes; without ``join``, return a :class:`ProcessContext`."""
    context = multiprocessing.get_context(start_method)
    processes, error_files = [], []
    for number in range(nprocs):
        descriptor, path = tempfile.mkstemp(prefix="leafward-errorfile-", suffix=".pickle")
        os.close(descriptor)
        process = context.Process(target=run, args=(fn, number, args, path), daemon=daemon)
        process.start()
        processes.append(process)
        error_files.append(path)
    running = ProcessContext(processes, error_files)
    if not join:
        return running
    try:
        while not running.join():
            pass
    except KeyboardInterrupt:
        running._end_others(None)
        running._forget_errors()
        raise
    return None


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """:func:`start_processes` with new interpreters: ``fn`` and ``args`` must be importable and picklable."""
    if start_method != "spawn":
        raise ValueError(f"spawn starts new interpreters: use start_processes for start_method={start_method!r}")
    return start_processes(fn, args, nprocs, join, daemon, "spawn")
