"""``torch.utils.collect_env``: what a report of a fault should say of a machine, which ``python -m leafward info`` prints."""
import os
import subprocess
import sys


def get_pretty_env_info():
    """What ``python -m leafward info`` prints: versions, whether it is compiled, threads, optional packages.

    >>> lw.utils.collect_env.get_pretty_env_info().split()[0]
    'leafward'
    """
    where = os.pathsep.join(filter(None, sys.path))                         # the child finds the leafward that asks
    return subprocess.run([sys.executable, "-m", "leafward", "info"], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": where}).stdout.rstrip("\n")


def main():
    """Print it."""
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
