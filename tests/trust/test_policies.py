"""What users say of saved values: that they are kept, that a write is safe, whether a write may be; audits of steps."""
import threading
import warnings

import numpy as np
import pytest

import leafward as lw
from leafward import nn
from leafward.core import modes
from tests.trust.programs import EXP, run

TRUE = np.exp([1.0, 2.0, 3.0]).astype(np.float32).tolist()
#: Writes to what the gradient of exp needs, by every road that there is.
WRITES = {
    "in place": "y.mul_(2)",
    "through detach()": "y.detach().zero_()",
    "through .data": "y.data.zero_()",
    "a row": "y.detach()[1] = 7.0",
    "rows": "y.detach()[1:] = 7.0",
    "places": "y.detach()[[0, 2]] = 7.0",
    "out=": "lw.mul(lw.ones(3), 2, out=y.data)",
    "a storage": "y.untyped_storage().fill_(0)",
    "several at once": "lw._foreach_mul_([y.data], 2)",
    "a random fill": "y.data.normal_()",
    "NumPy": "y.detach().numpy()[:] = 0",
    "NumPy's out=": "import numpy as np\nnp.multiply(1.0, 0, out=np.asarray(y.detach()))",
    "DLPack": "lw.from_dlpack(y.detach()).zero_()",
    "two of them": "y.detach().zero_()\ny.data.fill_(3)",
}
KEPT = "x = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)\nwith lw.keep_saved():\n    y = x.exp()\n"


@pytest.mark.parametrize("name", WRITES)
def test_kept_values_give_the_gradient_of_the_forward(name):
    outcome = run(f"{KEPT}total = lw.ones(3, requires_grad=True).sum() + y.clone().sum()\n{WRITES[name]}\ntotal.backward()")
    assert outcome.error is None
    assert outcome.warned == []
    assert outcome.grad() == pytest.approx(TRUE)


@pytest.mark.parametrize("name", WRITES)
def test_the_same_by_a_policy(name):
    outcome = run(f"lw.set_saved_policy('copy_on_write')\ntry:{EXP.replace(chr(10), chr(10) + '    ')}\n"
                  "finally:\n    lw.set_saved_policy('share')\n"
                  f"total = y.clone().sum()\n{WRITES[name]}\ntotal.backward()")
    assert outcome.error is None
    assert outcome.warned == []
    assert outcome.grad() == pytest.approx(TRUE)
    assert not modes.current().saved_hooks


def test_nothing_is_copied_without_a_write_and_nothing_is_watched_afterwards():
    outcome = run(KEPT + "said = lw.explain(y)\ny.sum().backward()")
    assert "copied before it is written" in outcome.names["said"]
    assert outcome.grad() == pytest.approx(TRUE)
    outcome.names.clear()
    assert modes.current().guard is None


def test_explain_names_the_line_that_made_a_copy_necessary():
    outcome = run(KEPT + "z = y.sum()\ny.detach().zero_()\nsaid = lw.explain(z)")
    assert "keeps a copy of f32[3], 12 B, because of train.py:5" in outcome.names["said"]


@pytest.mark.parametrize("make", [lw.optim.SGD, lw.optim.Adam], ids=["SGD", "Adam"])
def test_weights_are_kept_over_a_step(make):
    w, x = nn.Parameter(lw.tensor([3.0, 4.0])), lw.tensor([1.0, 2.0], requires_grad=True)
    opt = make([w], lr=0.5)
    with lw.keep_saved():
        out = w * x
    out.sum().backward(retain_graph=True, inputs=[w])
    opt.step()
    out.sum().backward(inputs=[x])
    assert x.grad.tolist() == [3.0, 4.0]


def test_second_derivatives_of_kept_values():
    x = lw.tensor([1.0, 2.0], requires_grad=True)
    with lw.keep_saved():
        y = x.exp()
        loss = (y * x).sum()
        y.data.zero_()
        with lw.no_grad():
            x.add_(1)
        (g,) = lw.autograd.grad(loss, x, create_graph=True)
        (h,) = lw.autograd.grad(g.sum(), x)
    x = np.array([1.0, 2.0])
    assert g.tolist() == pytest.approx((np.exp(x) * (1 + x)).tolist(), rel=1e-6)
    assert h.tolist() == pytest.approx((np.exp(x) * (2 + x)).tolist(), rel=1e-6)


def test_beside_allow_mutation_on_saved_tensors():
    x = lw.tensor([1.0, 2.0], requires_grad=True)
    with lw.keep_saved():
        kept = x.exp()
    with lw.autograd.graph.allow_mutation_on_saved_tensors():
        other = x.exp()
        other.mul_(0)
        kept.data.mul_(0)
        other.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]
    kept.sum().backward()
    assert x.grad.tolist() == pytest.approx(TRUE[:2])


def test_a_write_of_another_thread_is_refused():
    x = lw.tensor([1.0, 2.0], requires_grad=True)
    with lw.keep_saved():
        y = x.exp()
    thread = threading.Thread(target=lambda: y.data.zero_())
    thread.start()
    thread.join()
    with pytest.raises(RuntimeError, match="modified by an inplace operation by zero_"):
        y.sum().backward()


def test_wrong_policies():
    with pytest.raises(ValueError, match="policy should be one of"):
        lw.set_saved_policy("copy")


# -- writes that are marked -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", WRITES)
def test_marked_writes_are_not_told(name):
    write = WRITES[name].replace("y.mul_(2)", "y.detach().mul_(2)").replace("\n", "\n    ")
    outcome = run(f"{EXP}with lw.unsafe_write(y, 'meant'):\n    {write}\ny.sum().backward()")
    assert outcome.error is None
    assert outcome.warned == []
    assert outcome.grad() == outcome.names["y"].tolist()


def test_other_writes_are_told_beside_marked_ones():
    outcome = run(f"{EXP}with lw.unsafe_write([y], 'meant'):\n    y.data.mul_(2)\ny.data.mul_(3)\ny.sum().backward()")
    assert "train.py:5" in outcome.story.split("changed by")[1].splitlines()[0]


def test_a_marked_write_wants_a_reason():
    with pytest.raises(TypeError, match="reason"):
        lw.unsafe_write(lw.ones(2), "")


# -- may it be written? -----------------------------------------------------------------------------------------------------

def test_what_speaks_against_a_write():
    said = run("""
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        h = x.sigmoid()
        row = h[0]
        before = lw.can_write(h)
        view = lw.can_write(row)
        leaf = lw.can_write(x)
        other = lw.can_write(lw.ones(2))
        with lw.no_grad():
            quiet = lw.can_write(x)
        h.sum().backward()
        after = lw.can_write(h)
        frozen = lw.can_write(lw.freeze_(lw.ones(2)))
        """).names
    assert str(said["before"]) == "no: sigmoid at train.py:2 still needs it: it saved its own output, f32[2]"
    assert not said["view"]
    assert "a leaf that requires grad" in str(said["leaf"])
    assert said["other"] and said["quiet"] and said["after"]
    assert str(said["after"]) == "yes"
    assert "it is frozen, by train.py:12" in str(said["frozen"])


def test_a_part_that_nobody_needs():
    x = lw.zeros(4)
    w = lw.ones(2, requires_grad=True)
    product = w * x[:2]
    assert lw.can_write(x[2:])
    assert not lw.can_write(x)
    del product


def test_a_node_explains_itself():
    outcome = run(EXP + "y = y * 2\nsaid = y.grad_fn.explain()\nthere = lw.explain(y)")
    assert outcome.names["said"] == outcome.names["there"]
    assert "exp" in outcome.names["said"]


# -- audits of steps --------------------------------------------------------------------------------------------------------

def test_an_audit_of_steps_tells_each_thing_once():
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    opt = lw.optim.SGD(net.parameters(), lr=0.1)
    handle = lw.audit(net, opt, every=2)
    told = []
    for turn in range(7):
        opt.zero_grad()
        x = net[0](lw.ones(3, 2))
        net[1](x.detach() if turn > 2 else x).sum().backward()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            opt.step()
        told.append([str(w.message) for w in caught if "audit" in str(w.message)])
    assert [len(texts) for texts in told] == [0, 0, 0, 0, 1, 0, 0]
    assert told[4][0].startswith("audit at step 5: 4 parameters: 2 learn, 2 do not")
    assert "0.weight, 0.bias" in told[4][0]
    handle.remove()
    assert not opt._optimizer_step_pre_hooks


@pytest.mark.parametrize(("given", "error"), [({"every": 0}, ValueError), ({"every": 2, "loss": lw.ones(1)}, TypeError)])
def test_audits_of_steps_that_cannot_be(given, error):
    net = nn.Linear(1, 1)
    with pytest.raises(error):
        lw.audit(net, lw.optim.SGD(net.parameters(), lr=0.1), **given)
