"""The commonest mistakes show at most three frames that are not the user's: in a script, in pytest and in a notebook."""
import os
import re
import subprocess
import sys
import textwrap

import pytest

#: What each mistake is: the lines of a program, the last of which raises.
MISTAKES = {
    "the operands of @": "x = torch.ones(2, 3)\nx @ x",
    "a float beside doubles": "torch.ones(2, 3) @ torch.ones(3, 2).double()",
    "shapes that do not broadcast": "torch.ones(2, 3) + torch.ones(4)",
    "cat of unlike shapes": "torch.cat([torch.ones(2, 3), torch.ones(4, 5)])",
    "a view of another size": "torch.ones(2, 3).view(7)",
    "a view of a transpose": "torch.ones(2, 3).t().view(6)",
    "a dim that is not there": "torch.ones(2, 3).sum(dim=2)",
    "an index out of range": "torch.ones(3)[7]",
    "a list of indices out of range": "torch.ones(3)[torch.tensor([0, 7])]",
    "a write out of range": "x = torch.ones(3)\nx[7] = 1.0",
    "features of a layer": "torch.nn.Linear(4, 2)(torch.ones(2, 3))",
    "a layer within layers": "torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(5, 1))(torch.ones(2, 3))",
    "channels of a convolution": "torch.nn.Conv2d(3, 4, 3)(torch.ones(1, 1, 8, 8))",
    "a token outside of the vocabulary": "torch.nn.Embedding(4, 2)(torch.tensor([9]))",
    "classes as floats": "torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0.0, 1.0]))",
    "a class out of range": "torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0, 7]))",
    "a second backward": "x = torch.ones(3, requires_grad=True)\nloss = x.exp().sum()\nloss.backward()\nloss.backward()",
    "backward of a vector": "torch.ones(3, requires_grad=True).exp().backward()",
    "backward without history": "torch.ones(3).sum().backward()",
    "a leaf in place": "w = torch.ones(3, requires_grad=True)\nw += 1",
    "an activation in place": "x = torch.ones(3, requires_grad=True)\ny = x.exp()\ny.mul_(2)\ny.sum().backward()",
    "numpy() of what requires grad": "torch.ones(3, requires_grad=True).numpy()",
    "the truth of a tensor": "if torch.ones(2) > 0:\n    pass",
    "item() of several": "torch.ones(2).item()",
    "rows of unlike lengths": "torch.tensor([[1, 2], [3]])",
    "the mean of integers": "torch.arange(3).mean()",
    "another device": "torch.ones(3).to('cuda')",
    "another device of a model": "torch.nn.Sequential(torch.nn.Linear(2, 2)).to('cuda')",
    "cuda() of a model": "torch.nn.Sequential(torch.nn.Linear(2, 2)).cuda()",
    "a function of one example that fails": "torch.vmap(lambda x: x @ torch.ones(3))(torch.ones(4, 2))",
    "weights that cannot be quantized": "m = torch.nn.Sequential(torch.nn.Linear(4, 2))\nm[0].weight.data[0] = torch.nan\n"
                                        "torch.ao.quantization.quantize_dynamic(m)",
    "an exported model that does not take its example": "torch.onnx.export(torch.nn.Linear(2, 2), (torch.ones(1, 3),))",
    "an exported model that ONNX has no form of": "torch.onnx.export(lambda x: torch.fft.rfft(x).abs(), (torch.ones(1, 3),))",
    "samples of unlike sizes": "next(iter(torch.utils.data.DataLoader([torch.ones(2), torch.ones(3)], batch_size=2)))",
    "a checkpoint of another model": "torch.nn.Linear(4, 2).load_state_dict(torch.nn.Linear(3, 2).state_dict())",
    "a method that is not there": "torch.ones(3).sigmoids()",
    "an argument that is not there": "torch.ones(3).sum(dims=0)",
    "a negative size": "torch.randn(-3)",
    "a matrix that is singular": "torch.linalg.inv(torch.zeros(2, 2))",
    "an optimizer of what is no leaf": "w = torch.randn(3, requires_grad=True).double()\ntorch.optim.SGD([w], lr=0.1)",
    "an optimizer of nothing": "torch.optim.AdamW([], lr=0.1)",
    "a parameter in two groups": "p = torch.nn.Linear(2, 2).weight\ntorch.optim.Adam([{'params': [p]}, {'params': [p]}])",
    "the state of another optimizer": "one = torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=0.1)\n"
                                      "torch.optim.SGD(torch.nn.Linear(2, 2).parameters(), lr=0.1)"
                                      ".load_state_dict(one.state_dict())",
    "a schedule without its length": "opt = torch.optim.SGD(torch.nn.Linear(2, 2).parameters(), lr=0.1)\n"
                                     "torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=1)",
    "a list of what is no module": "torch.nn.ModuleList([3])",
    "groups that do not divide": "torch.nn.Conv2d(3, 4, 3, groups=2)",
    "heads that do not divide": "torch.nn.TransformerEncoderLayer(5, 2)",
    "a layer before super().__init__()": "class Net(torch.nn.Module):\n    def __init__(self):\n"
                                         "        self.fc = torch.nn.Linear(2, 2)\nNet()",
    "a vector where fans are needed": "torch.nn.init.kaiming_uniform_(torch.ones(2))",
    "a parameter that is not pruned": "torch.nn.utils.prune.l1_unstructured(torch.nn.Linear(2, 2), 'foo', 0.5)",
    "a dataset that fails": "class Data(torch.utils.data.Dataset):\n    def __len__(self):\n        return 3\n"
                            "    def __getitem__(self, i):\n        return [][i]\n"
                            "for batch in torch.utils.data.DataLoader(Data()):\n    pass",
    "a stream that fails": "class Data(torch.utils.data.IterableDataset):\n    def __iter__(self):\n"
                           "        raise ValueError('mine')\nfor batch in torch.utils.data.DataLoader(Data()):\n    pass",
    "samples that are None": "next(iter(torch.utils.data.DataLoader([None, None])))",
    "parts that do not add up": "torch.utils.data.random_split([1, 2, 3], [1, 1])",
    "a file that is not there": "torch.load('nowhere.pt')",
    "a file that is no checkpoint": "import io\ntorch.load(io.BytesIO(b'nothing'))",
    "a class that is not trusted": "import io, fractions\nfile = io.BytesIO()\ntorch.save(fractions.Fraction(1, 2), file)\n"
                                   "file.seek(0)\ntorch.load(file)",
    "a function that cannot be saved": "import io\ntorch.save(lambda x: x, io.BytesIO())",
    "a checkpointed function that fails": "torch.utils.checkpoint.checkpoint(lambda x: x + torch.ones(4), torch.ones(3), "
                                          "use_reentrant=False)",
}
#: Runs each mistake as a file of its own, and shows the error as Python does.
SCRIPT = """
import sys, traceback, leafward as torch
for name, source in {mistakes!r}.items():
    try:
        exec(compile(source, "train.py", "exec"), {{"torch": torch}})
    except Exception as error:
        error.__traceback__ = error.__traceback__.tb_next       # without this file's own
        print("=====", name)
        print("".join(traceback.format_exception(error)))
"""
MOST = 3


def run(arguments, **variables):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, "LEAFWARD_TRACEBACK": "", **variables})


def strangers(shown, line, own):
    """The places that ``shown`` names and that are not in the file ``own``; ``line``: how places are written."""
    return [place for place in re.findall(line, shown, re.MULTILINE) if own not in place]


def in_a_script(**variables):
    ran = run(["-c", SCRIPT.format(mistakes=MISTAKES)], **variables)
    assert ran.returncode == 0, ran.stderr
    shown = dict(part.split("\n", 1) for part in ran.stdout.split("===== ")[1:])
    assert list(shown) == list(MISTAKES)
    return {name: strangers(text, r'^  File "(.*)", line', "train.py") for name, text in shown.items()}


@pytest.mark.parametrize("interpreted", ["", "1"], ids=["as it is", "interpreted"])
def test_in_a_script(interpreted):
    variables = {"LEAFWARD_INTERPRETED": "1"} if interpreted else {}
    assert {name: found for name, found in in_a_script(**variables).items() if len(found) > MOST} == {}


def test_all_of_them_on_demand():
    found = in_a_script(LEAFWARD_TRACEBACK="full")
    assert len(found["the operands of @"]) > 6 and len(found["a second backward"]) > MOST


@pytest.mark.parametrize("style", ["short", "long"])
def test_in_pytest(tmp_path, style):
    tests = "".join(f"def test_{number}():\n{textwrap.indent(source, '    ')}\n"
                    for number, source in enumerate(MISTAKES.values()))
    tmp_path.joinpath("test_mine.py").write_text("import leafward as torch\n" + tests, encoding="utf-8")
    ran = run(["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir", str(tmp_path),
               f"--tb={style}", str(tmp_path)], PYTEST_ADDOPTS="")
    shown = re.split(r"^_+ test_\d+ _+$", ran.stdout, flags=re.MULTILINE)[1:]
    assert len(shown) == len(MISTAKES), ran.stdout[-2000:]
    found = {name: strangers(text, r"^([^\s:]+):\d+: ", "test_mine.py") for name, text in zip(MISTAKES, shown, strict=True)}
    assert {name: places for name, places in found.items() if len(places) > MOST} == {}
    assert any(found.values())                                  # places are found at all


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_in_a_notebook(tmp_path, monkeypatch):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    cells = ["import leafward as torch", *MISTAKES.values()]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    for variable in ("JUPYTER_PLATFORM_DIRS", "PYDEVD_DISABLE_FILE_VALIDATION"):      # Jupyter's own warnings
        monkeypatch.setenv(variable, "1")
    monkeypatch.setenv("LEAFWARD_TRACEBACK", "")
    nbclient.NotebookClient(notebook, timeout=120, allow_errors=True, kernel_name="python3",
                            resources={"metadata": {"path": str(tmp_path)}}).execute()
    found = {}
    for name, cell in zip(MISTAKES, notebook.cells[1:], strict=True):
        error, = [output for output in cell.outputs if output.output_type == "error"]
        shown = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(error.traceback))
        found[name] = strangers(shown, r"^((?:File|Cell) .*)$", "Cell In[")
    assert {name: places for name, places in found.items() if len(places) > MOST} == {}
    assert any(found.values())
