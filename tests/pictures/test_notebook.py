"""Notebooks: what a cell shows of tensors, modules and nodes, and what an error in one reads like."""
import re

import pytest

import leafward as lw
from leafward import nn
from leafward.trust.layout import NARROW

CELLS = [
    "import leafward as torch\nfrom leafward import nn\ntorch.manual_seed(0)",
    "net = nn.Sequential(nn.Linear(4, 8), nn.Sigmoid(), nn.Linear(8, 1))\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nnet",
    "x, y = torch.randn(16, 4), torch.randn(16, 1)\n"
    "for _ in torch.progress(range(20), 'training'):\n"
    "    loss = ((net(x) - y) ** 2).mean()\n"
    "    opt.zero_grad()\n"
    "    loss.backward()\n"
    "    opt.step()\n"
    "loss",
    "def layer(x):\n    h = torch.sigmoid(net[0](x))\n    return h",
    "h = layer(x)\nh.detach().zero_()",
    "loss = net[2](h).sum()\nloss.backward()",
    "net(torch.ones(2, 5))",
    "torch.show((net(x) ** 2).sum())",
    "loss.grad_fn",
]


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The outputs of each cell, after the notebook was run from top to bottom."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS])
    with pytest.MonkeyPatch.context() as patch:
        # Jupyter's own business: where it looks for its settings, and how its debugger starts.
        patch.setenv("JUPYTER_PLATFORM_DIRS", "1")
        patch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
        client = nbclient.NotebookClient(notebook, timeout=120, allow_errors=True, kernel_name="python3",
                                         resources={"metadata": {"path": str(tmp_path_factory.mktemp("notebook"))}})
        client.execute()
    return [cell.outputs for cell in notebook.cells]


def result(outputs, kind="text/html"):
    found, = [output.data[kind] for output in outputs if output.output_type == "execute_result"]
    return found


def error(outputs):
    """An error's name, its message, and the lines of its traceback without colours."""
    found, = [output for output in outputs if output.output_type == "error"]
    return found.ename, found.evalue, re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(found.traceback))


pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


def test_it_trains_and_shows_its_progress(ran):
    said = "".join(output.text for output in ran[2] if output.output_type == "stream")
    assert "training" in said and "20/20" in said
    assert float(re.search(r"tensor\(([\d.]+)", result(ran[2], "text/plain"))[1]) < 3
    assert "made by mean, Cell In[3], line 3" in result(ran[2])


def test_the_story_names_cells_and_lines(ran):
    name, message, shown = error(ran[5])
    assert name == "InplaceGradientError"
    for words in ("Cell In[4], line 2 in layer()", "Cell In[5], line 2", "Cell In[6], line 2",
                  "torch.sigmoid(net[0](x)).clone()"):
        assert words in message
    assert max(map(len, message.split("\n\n", 1)[1].splitlines())) <= NARROW
    strangers = [line for line in re.findall(r"^(?:File|Cell) .*$", shown, re.MULTILINE) if not line.startswith("Cell In[6]")]
    assert len(strangers) <= 3 and "leafward/core" not in shown


def test_an_error_in_a_layer_names_the_layer(ran):
    name, _, shown = error(ran[6])
    assert name == "RuntimeError" and re.search(r"in layer +0\n +Linear\(", shown) and "Cell In[7], line 1" in shown
    assert max(map(len, shown[shown.index("  in layer"):].splitlines())) <= NARROW
    strangers = [line for line in re.findall(r"^(?:File|Cell) .*$", shown, re.MULTILINE) if not line.startswith("Cell In[7]")]
    assert len(strangers) <= 3


def test_modules_pages_and_nodes_are_drawn(ran):
    assert "<b>Sequential</b>" in result(ran[1]) and "49 parameters" in result(ran[1])
    assert result(ran[7]).startswith("<iframe") and "Cell In[8]" in result(ran[7])
    assert "<svg" in result(ran[8]) and "sigmoid" in result(ran[8])


# -- without a notebook --------------------------------------------------------------------------------------------------

def test_a_tensor_tells_its_type_history_and_range():
    x = lw.tensor([1.0, -2.0, float("nan")], requires_grad=True)
    shown = x._repr_html_()
    for words in ("shape [3]", "torch.float32", "cpu", "12 B", "a leaf that requires grad; its .grad is None",
                  "values from -2 to 1, mean -0.5; 1 NaN or inf", "tensor([1., -2., nan]"):
        assert words in re.sub(" +", " ", shown).replace("[ 1", "[1")
    assert re.search(r"made by exp, .*test_notebook\.py:\d+<", x.exp()._repr_html_())
    assert "values from 0 to 3" in lw.arange(4)._repr_html_()


def test_a_range_of_what_is_not_finite_and_of_what_has_no_values():
    for dtype in lw.float16, lw.bfloat16, lw.float32, lw.float64:
        shown = lw.tensor([lw.inf, -lw.inf, lw.nan, 2.0, 1.0], dtype=dtype)._repr_html_()       # without a warning
        assert "values from 1 to 2, mean 1.5; 3 NaN or inf" in shown
    for tensor in lw.ones(2), lw.arange(2):
        shown = tensor.to("meta")._repr_html_()
        assert "values" not in shown and "shape [2]" in shown


@pytest.mark.parametrize("tensor", [
    lw.zeros(0, 3), lw.tensor(1), lw.ones(2, dtype=lw.complex64), lw.ones(2, 2).bool(), lw.ones(3).bfloat16(),
    lw.ones(2, 3).t(),
    lw.ones(2, dtype=lw.complex64).conj(), nn.Parameter(lw.ones(2)), lw.full((2,), float("nan")), lw.ones(3).half(),
], ids=repr)
def test_every_tensor_has_one(tensor):
    shown = tensor._repr_html_()
    assert shown.count("<div") == shown.count("</div>") and "<pre" in shown


def test_a_batch_shows_itself():
    seen = []
    lw.vmap(lambda x: seen.append(x._repr_html_()) or x * 2)(lw.ones(3, 2))
    assert seen[0].startswith("<pre>")


def test_a_module_is_a_tree():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.note = nn.Linear(2, 3), nn.Identity()
            self.b = self.a
            self.a.bias.requires_grad_(False)

        def extra_repr(self):
            return "<script>alert(1)</script>"
    net = nn.Sequential(Net(), nn.Linear(3, 1)).eval()
    shown = net._repr_html_()
    for words in ("13 parameters", "3 frozen", "eval", "the same as a", "f32[3, 2]", "in_features=2"):
        assert words in shown
    assert "<script>" not in shown
    assert all(shown.count(f"<{tag}") == shown.count(f"</{tag}>") for tag in ("details", "div", "span", "code"))


def test_a_node_draws_what_lies_behind_it():
    x = lw.ones(2, requires_grad=True)
    y = x
    for _ in range(100):
        y = y * 2
    shown = y.grad_fn._repr_html_()
    assert "<svg" in shown and "and 40 more nodes" in shown
    assert "adds the gradient to .grad of f32[2]" in (x * 2).grad_fn.next_functions[0][0]._repr_html_()
