"""Runs the programs of the folder ``programs``: ``python run.py NAME...`` prints what each computes, as JSON, one a line.

``python run.py --record FOLDER`` under PyTorch writes ``expected.json``; ``FOLDER`` is where the libraries are, which a Python
with PyTorch may lack.
"""
import importlib.util
import json
import math
import sys
import warnings
from contextlib import redirect_stdout
from pathlib import Path

HERE = Path(__file__).parent
EXPECTED = HERE / "expected.json"
NAMES = sorted(path.stem for path in (HERE / "programs").glob("*.py"))


def computed(name):
    """What a program's ``main()`` returns: numbers, texts, and lists and dicts of them."""
    spec = importlib.util.spec_from_file_location(name, HERE / "programs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with redirect_stdout(sys.stderr):           # some report there
        spec.loader.exec_module(module)
        return json.loads(json.dumps(module.main()))


def short(value):
    """Eight digits of each number are enough."""
    if isinstance(value, dict):
        return {name: short(part) for name, part in value.items()}
    if isinstance(value, list):
        return [short(part) for part in value]
    return float(f"{value:.8g}") if isinstance(value, float) else value


def differences(ours, theirs, place=""):
    """``(place, ours, theirs)`` wherever two results differ: floats by more than 1e-4 of their size."""
    if isinstance(theirs, dict) and isinstance(ours, dict) and ours.keys() == theirs.keys():
        return [found for name in theirs for found in differences(ours[name], theirs[name], f"{place}.{name}")]
    if isinstance(theirs, list) and isinstance(ours, list) and len(ours) == len(theirs):
        return [found for i, pair in enumerate(zip(ours, theirs)) for found in differences(*pair, f"{place}[{i}]")]
    if isinstance(theirs, float) and isinstance(ours, (int, float)):
        return [] if math.isclose(ours, theirs, rel_tol=1e-4, abs_tol=1e-6) else [(place, ours, theirs)]
    return [] if ours == theirs else [(place, ours, theirs)]


def main(arguments):
    """Run what is asked for."""
    warnings.simplefilter("ignore")             # the libraries' own
    if arguments[:1] != ["--record"]:
        for name in arguments or NAMES:
            print(json.dumps({name: computed(name)}))
        return
    sys.path.append(arguments[1])
    import torch
    if "leafward" in torch.__version__:
        sys.exit("this is leafward: record with a Python that has PyTorch")
    # The registry's wheel of torchvision is for GPUs, so that its operators do not load here; that two of them exist is all
    # that its other files ask for.
    for name in ("nms", "qnms"):
        torch.library.define(f"torchvision::{name}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    kept = json.loads(EXPECTED.read_text()) if EXPECTED.exists() and arguments[2:] else {}
    kept.update({name: short(computed(name)) for name in arguments[2:] or NAMES})
    lines = [f"{json.dumps(name)}: {json.dumps(kept[name])}" for name in sorted(kept)]
    EXPECTED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
