"""``python -m tests.fuzz.worker FIRST LAST SECONDS STATUS``: run programs and tell of each in a line.

``running.py`` listens.
"""
import faulthandler
import json
import os
import resource
import sys
import time
import traceback

#: Bytes that the process may ask for: enough for every honest program here.
MEMORY = 8 << 30


def work(first, last, seconds, status):
    from tests.fuzz.programs import Program
    from tests.fuzz.shrinking import cause, shrink

    begun, seed = time.monotonic(), first
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)       # libraries print there, too
    file = os.open(status, os.O_CREAT | os.O_WRONLY)

    def watch(lines, side):
        text = json.dumps((seed, side, lines)).encode()
        os.ftruncate(file, os.pwrite(file, text, 0))

    known = set()
    while (last is None or seed < last) and (seconds is None or time.monotonic() - begun < seconds):
        program = Program(seed, watch)
        try:
            difference = program.run()
        except Exception:
            said = "\n".join(program.lines[-3:]) + "\n" + traceback.format_exc()
            print(json.dumps({"seed": seed, "broke": said}), file=told, flush=True)
            return
        seen = [*program.stepper.passed, *([(difference, program.lines)] if difference else [])]
        findings, on_purpose = [], []
        for found, lines in seen:
            if found.row:
                on_purpose.append(found.row)
                continue
            why = cause(found, lines)
            if why not in known and found.kind != "sentence":
                lines, found = shrink(lines, found, watch)
            known.add(why)
            findings.append((found.kind, why[1:], str(found), lines))
        print(json.dumps({"seed": seed, "steps": len(program.lines), "findings": findings, "on purpose": on_purpose}),
              file=told, flush=True)
        seed += 1


if __name__ == "__main__":
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    FIRST, LAST, SECONDS, STATUS = sys.argv[1:]
    work(int(FIRST), int(LAST) if LAST else None, float(SECONDS) if SECONDS else None, STATUS)
