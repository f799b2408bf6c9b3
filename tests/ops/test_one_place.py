"""An op is declared in one place: nothing outside ``ops/`` names one, and what a declaration says is checked at once."""
import ast
from numbers import Real
from pathlib import Path

import pytest

import leafward
from leafward.dtypes import dtype
from leafward.core.op import DIMS, DeclarationError, Op, registry
from leafward.derive import foreach
from leafward.derive.methods import is_comparison, is_unary, operators

PACKAGE = Path(leafward.__file__).parent
#: Ordinary programs on top of the ops. Strings there are values of PyTorch's arguments: reduction="mean", activation="relu".
ON_TOP = ("nn", "ao", "optim", "distributions", "utils", "app")
#: What else is no table of ops, by file: the names, and why they stand there.
ALLOWED = {
    "__init__.py": ("adaptive_max_pool1d alpha_dropout batch_norm binary_cross_entropy_with_logits cosine_embedding_loss "
                    "ctc_loss embedding embedding_bag feature_alpha_dropout hinge_embedding_loss "
                    "instance_norm kl_div margin_ranking_loss "
                    "triplet_margin_loss", "public names that load a module: functions of nn in PyTorch's inner order"),
    "trust/pictures/drawing.py": ("where", "a part of a description: where something stands"),
    "trust/pictures/picture.py": ("gradient where", "parts of a description"),
    "distributed/fake.py": ("gather scatter", "kinds of collectives"),
    "array_api/data_types.py": ("complex", "a kind of number"),
    "array_api/elementwise.py": (None, "the names that the standard itself lists"),
    "array_api/sorting.py": ("amin", "a kind of reduction"),
    "arrays/strict.py": (None, "attributes and operators of arrays"),
    "arrays/tapes.py": (None, "the same, and functions of arrays"),
    "arrays/scatter.py": ("add maximum minimum", "kinds of reduction that scatter_reduce is asked for"),
    "arrays/kernels/__init__.py": ("cholesky convolution dot embedding interpolate lu matmul svd unfold",
                                   "functions of arrays, and the files that they are in"),
    "arrays/kernels/loss.py": ("sum", "a kind of reduction"),
    "arrays/kernels/reflections.py": ("geqrf", "a routine of LAPACK's"),
    "arrays/kernels/spectra.py": ("svd", "a routine of LAPACK's"),
    "arrays/twister.py": ("normal", "a state of the generator"),
    "autograd/batch_calls.py": ("mean", "a kind of reduction"),
    "autograd/function.py": ("view", "a kind of alias"),
    "autograd/gradcheck.py": ("imag real view", "parts of a number, and a kind of alias"),
    "autograd/graph.py": ("all any", "values of an argument"),
    "compat/onnx/shapes.py": (None, "functions of arrays that ONNX has"),
    "compat/onnx/sizes.py": ("add eq ge gt le lt mul ne sub", "Python's operators"),
    "compat/onnx/space.py": (None, "functions of arrays that ONNX has"),
    "compat/onnx/symbols.py": (None, "Python's operators, and functions of arrays"),
    "core/check.py": ("all", "what `numbers=` says"),
    "core/accumulate.py": ("add", "a gradient and another are added up, whatever ops they come from"),
    "core/history.py": ("view", "a kind of alias"),
    "core/op.py": ("alias all linear", "facts, and what `numbers=` says"),
    "core/saved.py": ("alias", "a field"),
    "derive/kernels/symbols.py": (None, "functions of arrays that C has, and Python's operators"),
    "derive/kernels/deriving.py": ("complex t", "the notation of samples, and a letter"),
    "derive/kernels/whole.py": (None, "functions of arrays that C has, and Python's operators"),
    "derive/kernels/writing.py": ("abs neg sum t where", "functions of arrays that C has, a letter and a word of loops"),
    "derive/examples.py": ("complex normal", "kinds of values that samples ask for"),
    "derive/samples.py": ("complex normal t", "the notation of samples"),
    "derive/signatures.py": ("mode pad", "parameters"),
    "derive/stubs.py": ("clone complex imag real", "Tensor's own members, written in Python, and a type"),
    "distributed/_functional_collectives.py": ("max min sum", "how a collective reduces"),
    "distributed/collectives.py": ("gather scatter", "collectives"),
    "distributed/objects.py": ("gather", "a collective"),
    "distributed/pmi.py": ("put", "a command of MPI's launchers"),
    "distributed/stores.py": ("add", "what a store is asked"),
    "distributed/threads.py": ("gather scatter", "collectives"),
    "dtypes.py": ("complex max min", "a kind of number, and fields of finfo"),
    "io/pickling.py": ("conj neg", "what a file says of bits"),
    "io/rebuild.py": ("conj neg", "the same"),
    "sparse/__init__.py": ("amax", "a kind of reduction"),
    "sparse/tensor.py": ("zero_", "what a write is called"),
    "sparse/forms.py": (None, "what ops do with sparse tensors, of which they know nothing"),
    "tensor/masked.py": ("amax amin argmax argmin logaddexp logsumexp", "what this module's own functions say in errors"),
    "tensor/memory.py": ("conj neg", "bits of a tensor"),
    "tensor/function_modes.py": ("imag real", "Tensor's own members, written in Python"),
    "tensor/printing.py": ("threshold", "a print option"),
    "tensor/inplace_views.py": ("_as_strided _conj as_strided squeeze t transpose unsqueeze",
                            "Tensor's own methods, which call views as any program does, and the two that find every place"),
    "tensor/storage.py": ("copy_ fill_", "what a storage's own writes are called"),
    "tensor/tensor.py": ("gradient", "a parameter"),
    "testing/comparison.py": ("equal", "a word in a message"),
    "trust/facts.py": ("complex", "a kind of number"),
    "trust/forward_repairs.py": ("exp kl_div log reshape std std_mean sum var var_mean",
                                 "what a source line says that has a repair of its own"),
    "trust/nonfinite.py": ("exp", "what a source line says that has a repair of its own"),
    "trust/numbers.py": ("mean prod sum", "reductions of NumPy's, as a program calls them: here they mean the same"),
    "trust/reruns.py": ("add sort", "methods of Python's containers"),
    "trust/selections.py": ("gather index_select masked_fill masked_scatter masked_select take",
                            "calls in a source line that leave out elements"),
    "trust/trials.py": ("flatten movedim squeeze transpose unsqueeze", "methods of tensors that a repair tells users to call"),
    "trust/syntax.py": ("bmm dot matmul mm mv", "what a reader sees as `@`: a story puts the caret there"),
    "trust/writers.py": ("fill put ravel real reshape sort squeeze swapaxes transpose view",
                         "NumPy's methods that write, or give the same memory"),
}


def strings(tree):
    """``(line, text)`` of the strings in a file, without ``__all__``, which lists the file's own names, and defaults."""
    aside = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == "__all__":
            aside.update(map(id, ast.walk(node.value)))
        elif isinstance(node, ast.arguments):
            aside.update(id(value) for value in (*node.defaults, *node.kw_defaults))
    return [(node.lineno, node.value) for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in aside]


def looked_up(tree):
    """Names by which a file asks for an op: ``registry["mm"]``, ``getattr(lw, "mm")``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and getattr(node.value, "id", None) == "registry" \
                and isinstance(node.slice, ast.Constant):
            yield node.slice.value
        elif isinstance(node, ast.Call) and getattr(node.func, "id", None) == "getattr" and len(node.args) > 1 \
                and getattr(node.args[0], "id", None) == "lw" and isinstance(node.args[1], ast.Constant):
            yield node.args[1].value


def named_in(path):
    """The ops that a file outside ``ops/`` names: ``{name: line}``."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if path.relative_to(PACKAGE).parts[0] in ON_TOP:
        return dict.fromkeys(looked_up(tree), 0)
    return {name: line for line, name in strings(tree) if name in registry}


FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if path.relative_to(PACKAGE).parts[0] != "ops"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_other_file_names_an_op(path):
    place = path.relative_to(PACKAGE).as_posix()
    names, _ = ALLOWED.get(place, ("", ""))
    found = named_in(path)
    if names is None:
        assert found, f"{place} names no op any more: it needs no reason"
        return
    assert sorted(found) == names.split(), f"a fact of an op belongs to its declaration: {found}"


def test_every_reason_is_for_something():
    assert [place for place in ALLOWED if not (PACKAGE / place).exists()] == []
    found = ast.parse('x = {"mm": 1}\ny = registry["mm"], getattr(lw, "mm")')
    assert [name for _, name in strings(found)] == ["mm"] * 3 and list(looked_up(found)) == ["mm"] * 2


# --- what a declaration says ------------------------------------------------------------------------------------------

def some_forward(xp, x, dim=-1):
    return x


def declared(forward=some_forward, **facts):
    """An op that nobody can call: it is not in the registry."""
    made = Op(forward, ("some_op",), {"samples": ["3"], **facts})
    made.vjp("x")(lambda g: g)
    made.complete()
    return made


@pytest.mark.parametrize("fact, said", [
    ({"batch": "columns"}, "batch='columns' is none of"), ({"autocast": "half"}, "autocast='half' is none of"),
    ({"batch": "loss"}, "is one of .'reduction'"),
    ({"inplace": "functions"}, "inplace='functions' names none of"), ({"batching": True}, "unknown facts"),
], ids=str)
def test_a_fact_that_means_nothing_is_refused(fact, said):
    with pytest.raises(DeclarationError, match=said):
        declared(**fact)


def test_dims_need_an_option_that_names_them():
    assert declared(batch="dims").batch_rule == "dims"
    with pytest.raises(DeclarationError, match="none of its options"):
        declared(lambda xp, x, width=1: x, batch="dims")


def test_dims_are_not_forgotten():
    """An op whose options name dims says what becomes of a batch; nothing guesses it."""
    silent = [op.name for op in registry.values() if isinstance(op, Op) and set(op.options) & set(DIMS)
              and op.batch_rule is None and op.parts is None]
    assert sorted(silent) == ["_unique", "_unique_consecutive", "renorm"]   # batches would be compared, or reduced, too


def test_what_follows_without_a_word():
    assert declared(elementwise=True).batch_rule == "elementwise" and declared(random=True).batch_rule == "leading"
    assert declared().batch_rule is None and declared().foreach == () and declared().inplace == ()
    assert declared(foreach=True).foreach == ("some_op",) and declared(foreach="a, b").foreach == ("a", "b")
    assert declared(foreach=False).foreach == () and declared(inplace=False, elementwise=True).inplace == ()
    assert declared(inplace=True).inplace == declared(inplace="method").inplace == ("method",)


def test_options_are_what_their_annotations_say():
    def kinds(name):
        op = registry[name]
        return {op.names[position]: kind for position, kind in op.option_kinds}
    assert kinds("topk") == {"k": int, "largest": bool, "sorted": bool}         # a dim is looked at when it is used
    assert kinds("_max") == {"keepdim": bool} and kinds("linalg_vector_norm") == {"keepdim": bool, "dtype": dtype}
    assert kinds("leaky_relu") == {"negative_slope": Real}


# --- one answer for each question -------------------------------------------------------------------------------------

def test_an_operator_runs_one_op():
    several = [name for declared in registry.values() for name in declared.operator]
    assert len(several) == len(set(several)) > 20
    assert {name for name, declared in operators().items() if is_unary(declared)} == {"neg", "pos", "abs", "invert"}
    assert {name for name, declared in operators().items() if is_comparison(declared)} == {"eq", "ne", "lt", "le", "gt", "ge"}


def test_one_op_for_each_basic_index_and_each_name_of_the_standard():
    indices = [op.basic_index for op in registry.values() if isinstance(op, Op) and op.basic_index]
    assert sorted(indices) == ["= number", "= tensor", "None", "int", "slice"]
    names = [name for declared in registry.values() for name in declared.array_api]
    assert len(names) == len(set(names)) and leafward.array_api.sign(leafward.tensor([-2.0])).item() == -1


def test_a_name_for_lists_belongs_to_one_op():
    names = [name for declared in registry.values() for name in declared.foreach]
    assert len(names) == len(set(names))
    assert set(foreach.FORMS) == {f"_foreach_{name}" for name in names} | {
        f"_foreach_{name}_" for declared in registry.values() for name in declared.foreach
        if declared.public_inplace is not None}
