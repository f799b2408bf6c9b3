"""``make fuzz MINUTES=60``: random programs from a fresh seed, for so long.

``python -m tests.fuzz MINUTES SEED`` runs the same ones again.
"""
import secrets
import sys

from tests.fuzz.running import fuzz
from tests.fuzz.kinds import KINDS


def main(minutes, seed):
    print(f"random programs from seed {seed}, for {minutes:g} minutes ...", flush=True)
    result = fuzz(seed, seconds=60 * minutes)
    findings = sorted(result.findings.values(), key=lambda f: (KINDS.index(f.kind), -f.count))
    for finding in findings:
        print(f"\n{finding}")
    print()
    for row, count in result.on_purpose.most_common():
        print(f"{count:6} on purpose: {row}")
    print(result)
    return 1 if result.grave else 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 5,
                  int(sys.argv[2]) if len(sys.argv) > 2 else secrets.randbelow(10**9)))
