"""The ``leafward`` command, and programs that say ``import torch``."""
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def python(*arguments, cwd=None):
    """Run this Python with ``arguments``; leafward is found as it is here, PyTorch as far as it is installed."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, *map(str, arguments)], cwd=cwd, env=environment, capture_output=True, text=True)


def leafward(*arguments, cwd=None):
    return python("-m", "leafward", *arguments, cwd=cwd)


@pytest.fixture
def script(tmp_path):
    """Write a program; the path to it."""
    def write(source, name="program.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source))
        return path
    return write


def output(done):
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_pytorch_program_runs_unmodified(script):
    path = script("""
        import torch
        import torch.nn.functional as F
        from torch import nn, optim
        from torch.autograd import Variable
        from torch.nn import Parameter
        from torch.utils.data import DataLoader, TensorDataset

        torch.manual_seed(0)
        x = torch.randn(32, 3)
        y = x @ torch.tensor([[1.0], [-2.0], [0.5]])
        model = nn.Linear(3, 1)
        optimizer = optim.SGD(model.parameters(), lr=0.1)
        for _ in range(60):
            for inputs, targets in DataLoader(TensorDataset(x, y), batch_size=8, shuffle=True):
                optimizer.zero_grad()
                F.mse_loss(model(inputs), targets).backward()
                optimizer.step()
        print(torch.__name__, torch.nn.functional is F, isinstance(model.weight, Parameter), Variable(x).shape)
        print([round(w, 2) for w in model.weight.flatten().tolist()])
    """)
    assert output(leafward("run", path)) == "torch True True torch.Size([32, 3])\n[1.0, -2.0, 0.5]\n"


def test_modules_are_never_imported_twice(script):
    path = script("""
        import torch.nn.functional, torch.optim.lr_scheduler, torch.utils.data
        import leafward, leafward.nn.functional, leafward.utils.data, sys
        assert torch is leafward and sys.modules["torch"] is leafward
        shared = [name for name in sys.modules if name.startswith("torch.")]
        assert len(shared) >= 5, shared
        for name in shared:
            assert sys.modules[name] is sys.modules[name.replace("torch", "leafward", 1)], name
            assert sys.modules[name].__spec__.name.startswith("leafward"), name
        print("one")
    """)
    assert output(leafward("run", path)) == "one\n"


def test_the_program_sees_what_python_shows_it(script):
    script("answer = 42", "neighbour.py")
    path = script("""
        import __main__, neighbour, pickle, sys

        class Point:
            pass

        print(__name__, __file__, __spec__, __main__.Point is Point, neighbour.answer)
        print(type(pickle.loads(pickle.dumps(Point()))) is Point)
        print(sys.argv)
        print(sys.path[0])
    """)
    arguments = ["--epochs", "3", "-h", "last"]
    assert output(leafward("run", path, *arguments)) == output(python(path, *arguments))
    beside = {"cwd": path.parent}
    assert output(leafward("run", path.name, *arguments, **beside)) == output(python(path.name, *arguments, **beside))


def test_run_as_a_module(script):
    path = script("import torch, sys; print(__name__, torch.__name__, sys.argv[1:])", "package/train.py")
    assert output(leafward("run", "-m", "package.train", "--fast", cwd=path.parent.parent)) \
        == "__main__ torch ['--fast']\n"
    assert output(python("-m", "leafward.run", path, "--fast")) == "__main__ torch ['--fast']\n"


def test_a_traceback_shows_the_program_only(script):
    source = """
        def divide(x):
            return x / 0

        divide(1)
    """
    path = script(source)
    ours, theirs = leafward("run", path), python(path)
    assert (ours.returncode, ours.stderr) == (theirs.returncode, theirs.stderr)
    broken = script("if True print(1)\n", "broken.py")
    ours, theirs = leafward("run", broken), python(broken)
    assert (ours.returncode, ours.stderr) == (theirs.returncode, theirs.stderr)


@pytest.mark.parametrize("ending, code", [("sys.exit(3)", 3), ("sys.exit('stop')", 1), ("pass", 0)])
def test_exit_codes_are_the_programs(script, ending, code):
    assert leafward("run", script(f"import sys\n{ending}\n")).returncode == code


def test_run_says_what_is_wrong_with_its_own_arguments(tmp_path):
    missing = leafward("run", tmp_path / "nowhere.py")
    assert missing.returncode == 2
    assert "No such file or directory" in missing.stderr and "Traceback" not in missing.stderr
    bare = leafward("run")
    assert bare.returncode == 2 and "usage: leafward run script.py" in bare.stderr
    assert "usage: leafward run script.py" in output(leafward("run", "--help"))


def test_missing_names_name_pytorchs(script):
    path = script("""
        import torch
        for statement in ("import torch.no_such_part", "from torch.nn import no_such_layer", "torch.no_such_function",
                          "torch.nn.no_such_layer", "import torch.nn.no_such_part"):
            try:
                exec(statement)
            except (ImportError, AttributeError) as error:
                print(f"{type(error).__name__}: {error}")
    """)
    said = output(leafward("run", path)).splitlines()
    assert len(said) == 5
    assert said[0] == "ModuleNotFoundError: No module named 'torch.no_such_part': leafward has no such part of PyTorch"
    assert said[1].startswith("ImportError: cannot import name 'no_such_layer'")
    assert said[2].startswith("MissingNameError: module 'torch' has no attribute 'no_such_function'")
    assert "nn' has no attribute 'no_such_layer'" in said[3]
    assert said[4].startswith("ModuleNotFoundError: No module named 'torch.nn.no_such_part'")


def test_the_hook_refuses_beside_pytorch():
    source = "import sys, types; sys.modules['torch'] = types.ModuleType('torch'); import leafward; "
    refused = python("-c", source + "leafward.install_as_torch()")
    assert refused.returncode == 1
    assert "RuntimeError: PyTorch itself is already imported" in refused.stderr


def test_the_hook_may_be_installed_twice():
    source = """if True:
        import leafward, sys
        leafward.install_as_torch()
        import torch
        leafward.install_as_torch()
        print(torch is leafward, sum(type(finder).__name__ == "TorchFinder" for finder in sys.meta_path))
    """
    assert output(python("-c", source)) == "True 1\n"


def test_info_says_what_leafward_runs_on():
    import numpy

    import leafward as lw
    from leafward.core import compiled
    text = output(leafward("info"))
    how = "compiled" if compiled() else "interpreted"
    assert f"leafward    {lw.__version__}, {how}" in text
    assert f"numpy       {numpy.__version__}" in text
    for line in ("python ", "threads ", "kernels ", "sklearn ", "tqdm "):
        assert f"\n{line}" in text


def test_help_names_every_command():
    text = output(leafward("--help"))
    assert all(command in text for command in ("demo", "run", "info"))
