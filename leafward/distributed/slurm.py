"""Ranks that Slurm starts: whether this is one of its jobs, and what ``srun`` is told."""
import os
import shutil
import subprocess
import tempfile


def inside():
    """The path of ``srun`` where this process belongs to a job of Slurm's; otherwise None."""
    return shutil.which("srun") if "SLURM_JOB_ID" in os.environ else None


def nodes():
    """How many machines the job has."""
    return int(os.environ.get("SLURM_JOB_NUM_NODES", os.environ.get("SLURM_NNODES", 1)))


def size_of(each, machines):
    """How many ranks there are where nobody says: ``each`` on every machine, or what the job was asked for."""
    if each is None and machines is None and "SLURM_NTASKS" in os.environ:
        return int(os.environ["SLURM_NTASKS"])
    return (each or 1) * (machines or nodes())


def meeting(srun, version):
    """The name that this Slurm has for a way in which ranks of an MPI meet."""
    # Open MPI knows the others from PMIx alone since its fifth version; MPICH and its kin speak Slurm's PMI-2 without more.
    if version is None:
        return "none"
    wanted = ("pmix",) if "open mpi" in version else ("cray_shasta", "pmi2") if "cray" in version else ("pmi2", "pmix")
    done = subprocess.run([srun, "--mpi=list"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    offered = (done.stdout + done.stderr).replace(",", " ").split()
    found = next((name for name in wanted if name in offered), None)
    if found is None:
        raise SystemExit(f"leafward launch: this Slurm brings no ranks of this MPI together: of {' and '.join(wanted)} its "
                         "srun --mpi=list names none. By MPI's own launcher: mpiexec -n 8 leafward run train.py")
    return found


def command(srun, told, version):
    """What starts the ranks, and a file of hosts that it reads or None; ``version`` is what the MPI calls itself, or None."""
    # Ranks bind themselves to their cores; who ends first is not waited for, whatever this cluster has chosen.
    found = [srun, f"--ntasks={told.size}", "--cpu-bind=none", "--kill-on-bad-exit=1", "--wait=0", "--export=ALL"]
    if "SLURM_MPI_TYPE" not in os.environ:
        found.append(f"--mpi={meeting(srun, version)}")
    if "SLURM_CPUS_PER_TASK" in os.environ:             # of the job; a step of it has to be told
        found.append(f"--cpus-per-task={os.environ['SLURM_CPUS_PER_TASK']}")
    # A shell that srun started has the cores itself: it lends them. Old versions know the variable as little as the option.
    os.environ["SLURM_OVERLAP"] = "1"
    if not told.hosts:
        return [*found, *([f"--nodes={told.machines}"] if told.machines else []),
                *([f"--ntasks-per-node={told.each}"] if told.each and told.ranks is None else [])], None
    with tempfile.NamedTemporaryFile("w", prefix="leafward_hosts_", delete=False) as file:
        file.writelines([f"{name}\n" for name, slots in told.hosts for _ in range(slots)])
    os.environ["SLURM_HOSTFILE"] = file.name
    return [*found, f"--nodes={len(told.hosts)}", "--distribution=arbitrary"], file.name
