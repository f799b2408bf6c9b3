"""Brings MPICH's ranks together without a launcher: ``python pmi.py SIZE`` serves the PMI-1 protocol to this machine.

A process of its own, since a rank holds the interpreter while MPI starts in it. It prints its port, and ends when its input
does: with the rank that started it. It imports nothing of leafward.
"""
import os
import socket
import sys
import threading


class Server:
    """The values that ranks tell each other while they start."""

    def __init__(self, size):
        self.size, self.lock, self.waiting = size, threading.Lock(), []
        # All ranks are on one node.
        self.values = {"PMI_process_mapping": f"(vector,(0,1,{size}))"}
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=size)
        self.port = self.listening.getsockname()[1]

    def run(self):
        """Answer each rank in a thread of its own."""
        while True:
            connection, _ = self.listening.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        file = connection.makefile("rw")

        def say(text):
            file.write(f"cmd={text}\n")
            file.flush()
        try:
            for line in file:
                if not self.answer(line, say):
                    return
        except OSError:
            pass                                    # the rank is gone

    def answer(self, line, say):
        """One request; False where it was the last."""
        words = dict(word.split("=", 1) for word in line.split() if "=" in word)
        asked = words.get("cmd")
        if asked == "put":
            self.values[words["key"]] = line.rstrip("\n").split(" value=", 1)[1]
            say("put_result rc=0 msg=success")
        elif asked == "get":
            value = self.values.get(words["key"])
            say(f"get_result rc=0 msg=success value={value}" if value is not None
                else "get_result rc=-1 msg=key_not_found value=unknown")
        elif asked == "barrier_in":
            with self.lock:
                self.waiting.append(say)
                if len(self.waiting) == self.size:
                    for one in self.waiting:
                        one("barrier_out rc=0")
                    self.waiting.clear()
        elif asked == "finalize":
            say("finalize_ack rc=0")
            return False
        else:
            say({"init": "response_to_init pmi_version=1 pmi_subversion=1 rc=0",
                 "get_maxes": "maxes kvsname_max=256 keylen_max=64 vallen_max=4096 rc=0",
                 "get_appnum": "appnum appnum=0 rc=0",
                 "get_my_kvsname": f"my_kvsname kvsname=leafward_{os.getpid()}_{self.port} rc=0",
                 "get_universe_size": f"universe_size size={self.size} rc=0"}.get(asked, f"{asked}_result rc=-1"))
        return True


def main():
    """Serve until the input ends."""
    server = Server(int(sys.argv[1]))
    print(server.port, flush=True)
    threading.Thread(target=server.run, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()
