"""Stands where Slurm's ``srun`` would: tasks are processes of this machine, told what Slurm tells those of several.

MPI's own launcher (``MPIEXEC``) lies underneath, and the tasks see nothing of it but that by which ranks meet; with
``--mpi=none`` there is none. What it was asked goes to the file ``SRUN_ASKED``, a call a line.
"""
import argparse
import json
import os
import subprocess
import sys


def dealt_out(told):
    """How many tasks each node has: as a file of hosts says, or the first nodes one more."""
    nodes = os.environ["SLURM_JOB_NODELIST"].split(",")
    if told.distribution == "arbitrary":
        with open(os.environ["SLURM_HOSTFILE"]) as file:
            hosts = file.read().split()
        assert len(hosts) == told.ntasks and len(set(hosts)) == told.nodes and set(hosts) <= set(nodes)
        return [hosts.count(node) for node in dict.fromkeys(hosts)]
    return [told.ntasks // len(nodes) + (number < told.ntasks % len(nodes)) for number in range(len(nodes))]


def in_short(dealt):
    """``2(x3),1`` of ``[2, 2, 2, 1]``."""
    parts = []
    for tasks in dealt:
        if parts and parts[-1][0] == tasks:
            parts[-1][1] += 1
        else:
            parts.append([tasks, 1])
    return ",".join([f"{tasks}(x{times})" if times > 1 else f"{tasks}" for tasks, times in parts])


def environment_of(rank, dealt):
    """What Slurm tells a task."""
    node = next(number for number in range(len(dealt)) if rank < sum(dealt[:number + 1]))
    return {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_PROCID": f"{rank}",
            "SLURM_LOCALID": f"{rank - sum(dealt[:node])}", "SLURM_NODEID": f"{node}",
            "SLURM_STEP_TASKS_PER_NODE": in_short(dealt), "SLURM_NTASKS": f"{sum(dealt)}",
            "SLURM_STEP_NUM_TASKS": f"{sum(dealt)}", "SLURM_STEP_NUM_NODES": f"{len(dealt)}"}


def task(dealt, program):
    """One task, which MPI's launcher started."""
    rank = int(os.environ["PMI_RANK" if "PMI_RANK" in os.environ else "PMIX_RANK"])
    for name in list(os.environ):
        if name.startswith(("OMPI_COMM_WORLD", "MPI_LOCAL")):
            del os.environ[name]
    os.environ.update(environment_of(rank, dealt))
    os.execvp(program[0], program)


def main(given):
    """``srun``."""
    if given == ["--mpi=list"]:
        print("MPI plugin types are...\n\tnone\n\t" + os.environ["SRUN_OFFERS"], file=sys.stderr)
        return 0
    parser = argparse.ArgumentParser("srun")
    parser.add_argument("--ntasks", "-n", type=int)
    for name in ("--cpu-bind", "--kill-on-bad-exit", "--wait", "--export", "--mpi", "--cpus-per-task", "--distribution",
                 "--ntasks-per-node"):
        parser.add_argument(name)
    parser.add_argument("--nodes", type=int)
    parser.add_argument("program", nargs=argparse.REMAINDER)
    told = parser.parse_args(given)
    with open(os.environ["SRUN_ASKED"], "a") as file:
        print(*given[:len(given) - len(told.program)], file=file)
    dealt = dealt_out(told)
    # MPI's launchers know Slurm, too, and would ask it.
    plain = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
    if told.mpi == "none":
        tasks = [subprocess.Popen(told.program, env={**plain, **environment_of(rank, dealt)}) for rank in range(told.ntasks)]
        return max([one.wait() for one in tasks])
    command = [*json.loads(os.environ["MPIEXEC"]), "-n", str(told.ntasks), sys.executable, __file__, "task", json.dumps(dealt)]
    os.execvpe(command[0], [*command, *told.program], plain)


if __name__ == "__main__":
    sys.exit(task(json.loads(sys.argv[2]), sys.argv[3:]) if sys.argv[1] == "task" else main(sys.argv[1:]))
