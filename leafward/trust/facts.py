"""What the core recorded, in the words of a story: what was kept, who wrote, through which alias."""
import ast
import re

from leafward.core.recording import OpNode
from leafward.core.op import Op, registry
from leafward.core.slot_codes import INPUT
from leafward.core.storage import writes_since
from leafward.core.tensor import TensorBase
from leafward.core.views import CopySlices
from leafward.trust import syntax
from leafward.trust.source import place

SHORT = {"float": "f", "bfloat": "bf", "complex": "c", "int": "i", "uint": "u"}

#: Kinds of alias that count their own versions: the family that they were taken from does not see their writes.
OWN_COUNTER = {"data =": "data", "set_": "set_", "from_dlpack": "from_dlpack", **{
    op.name: op.name.strip("_") for op in registry.values() if isinstance(op, Op) and op.untracked}}
UNTRACKED = ("data", *OWN_COUNTER)


def op_of(node):
    """The name under which users know what ``node`` did."""
    if isinstance(node, CopySlices):
        return "write through a view"
    if not isinstance(node, OpNode):
        return getattr(node, "_function", type(node)).__name__
    name = node._plan.op.name
    return public_name(name, node.name()) if name.startswith(("_", NATIVE)) else name


#: What begins, and ends, the names of what stands behind a layer.
NATIVE, UNSAFE, SCAN = "native_", "unsafe_", "_scan"


def public_name(name, node_name):
    """What users call of which the op ``name`` is a part: ``batch_norm``, ``embedding``, ``matmul``, ``gru``."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[0-9])(?=[A-Z][a-z])", "_", re.sub(r"Backward\d*$", "", node_name))
    words = words.lower().removeprefix(NATIVE)
    parts = name.strip("_").removeprefix(NATIVE).removeprefix(UNSAFE).removesuffix(SCAN).split("_")
    beginnings = ["_".join(parts[:number]) for number in range(len(parts), 0, -1)]
    return next((known for known in [words, *beginnings] if known in registry), beginnings[0])


def shape_and_dtype(saved):
    """``f32[2, 3]``."""
    return f"{short_type(saved.dtype)}{list(saved.shape())}"


def short_type(dtype):
    """``f32``."""
    word, bits = re.fullmatch(r"([a-z]+)(\d*)\w*", dtype.name).groups()
    return f"{SHORT.get(word, word)}{bits}"


class Kept:
    """A saved value: who kept it, as what, and what the source calls it."""

    def __init__(self, node, saved, scene):
        self.node, self.saved, self.scene = node, saved, scene
        self.op = op_of(node)
        self.place = place(node._site)
        self.is_written_here = self.place is not None and syntax.is_call_of(self.place, self.op)
        self.inputs = self.find_inputs()
        self.operand = self.find_operand()
        self.member = None if saved.leaf is None else scene.member_on(saved.storage)
        self.name = self.find_name()

    def role(self):
        """``its own output``, ``its input `x```."""
        if self.saved.is_output:
            return "its own output"
        return "its input" + (f" `{self.name}`" if self.name else "")

    def note(self):
        """``saved its own output, f32[3]``, and by whom, where the source line does not show it."""
        who = f"{self.op} " if self.place is None else "" if self.is_written_here else f"{self.op}, called in here, "
        return f"{who}saved {self.role()}, {shape_and_dtype(self.saved)}"

    def value(self):
        """``the value of `h``` or ``its output``."""
        return f"the value of `{self.name}`" if self.name else "its output" if self.saved.is_output else "its input"

    def find_name(self):
        if self.member is not None:
            return self.member[1]
        if self.place is None:
            return None
        node = syntax.target(self.place) if self.saved.is_output else self.operand
        if not self.is_written_here and (node is None or not self.is_kept(node) or self.is_written_inside()):
            return None
        if node is None or not syntax.is_simple(node):
            return None
        name = self.place.source_of(node)
        return name if not name.isidentifier() or self.scene.may_be_tensor(self.place, name) else None

    def find_operand(self):
        """The syntax node of the input that was kept; None if it is not sure which one that is."""
        seen = [node for node in self.inputs if self.is_kept(node)]
        if seen:
            return seen[0]
        # What the source shows in this order, the op got in this order: if it is the op that the source names.
        position = self.position() if self.is_written_here and self.is_op_named else None
        if position is None:
            return None
        inputs = self.inputs
        if len(inputs) > len(self.node._plan.op.inputs):          # an option stands before the tensor: `polygamma(1, x)`
            inputs = [node for node in inputs if not isinstance(node, ast.Constant)]
        return inputs[position] if position < len(inputs) else None

    def is_kept(self, node):
        """Whether a name means the very elements that were kept."""
        value = self.scene.value(self.place, node.id) if isinstance(node, ast.Name) else None
        return (isinstance(value, TensorBase) and value._storage is self.saved.storage
                and value._array.shape == self.saved.array.shape and value._array.strides == self.saved.array.strides)

    @property
    def is_op_named(self):
        """Whether the source names the very op, and not one that calls it in another order: ``x @ w`` may be ``mv(w, x)``."""
        return (not isinstance(self.node, OpNode)
                or syntax.called(self.place.expression) in (self.op, self.op + "_") and self.node._plan.op.name == self.op)

    def find_inputs(self):
        """The syntax nodes of the op's tensors, as far as the source line shows a call."""
        if self.place is None or self.place.expression is None:
            return []
        expression = self.place.expression
        receiver = getattr(getattr(expression, "func", None), "value", None)
        first = receiver
        while isinstance(first, ast.Attribute):             # `torch.special` of `torch.special.ndtri(x)`
            first = first.value
        function = isinstance(first, ast.Name) and self.scene.is_module(self.place, first.id)
        nodes = syntax.operands(expression, not function)
        if isinstance(expression, ast.BinOp) and isinstance(expression.left, ast.Name) \
                and not self.scene.may_be_tensor(self.place, expression.left.id):
            nodes = nodes[::-1] if nodes[0] is expression.left else nodes
        return [*nodes, *[k.value for k in getattr(expression, "keywords", ()) if self.is_kept(k.value)]]

    def position(self):
        """Which input of the op this is; None for outputs and for what custom functions keep."""
        if not isinstance(self.node, OpNode) or self.node._values is None:
            return None
        for (kind, position), value in zip(self.node._plan.slots, self.node._values, strict=True):
            if value is self.saved and kind == INPUT:
                return position
        return None

    def kept_copy(self):
        """The source line, edited so that later writes do not reach the kept value; None if that is not clear."""
        if self.place is None or self.place.expression is None:
            return None
        if self.saved.is_output:
            return with_suffix(self.place, self.place.expression, ".clone()") if self.gives_the_kept() else None
        if self.operand is None:
            return None
        text = self.place.source_of(self.operand)
        same = [node for node in self.inputs if self.place.source_of(node) == text]
        return self.place.edited_at(same, [suffixed(node, text, ".clone()") for node in same])

    def gives_the_kept(self):
        """Whether the value of the source's expression is the output that was kept, in memory that nothing else gives."""
        statement, expression = self.place.statement, self.place.expression
        if isinstance(statement, ast.Expr) and statement.value is expression or (syntax.called(expression) or "").endswith("_"):
            return False
        if self.is_written_here:
            return True
        named = syntax.target(self.place)
        return named is not None and self.is_kept(named) and not self.is_written_inside()

    def is_written_inside(self):
        """Whether what was kept was written before the call in the source line gave its result."""
        writes = writes_since(self.saved.storage, self.saved.writes)
        return writes is None or any(write.site == self.node._site for write in writes)


def with_suffix(where, node, suffix):
    """The source line with ``suffix`` behind ``node``."""
    return where.edited(node, suffixed(node, where.source_of(node), suffix))


def suffixed(node, text, suffix):
    """``text``, the source of ``node``, with ``suffix`` behind it."""
    simple = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    return f"{text}{suffix}" if simple else f"({text}){suffix}"


def chain(alias):
    """An alias and those it was taken from, the last one taken first."""
    links = []
    while alias is not None:
        links.append(alias)
        alias = alias.parent
    return links


def links_between(write, saved):
    """The aliases that stand between what was written and what was kept."""
    ours, theirs = chain(write.alias), chain(saved.alias)
    return [link for link in ours if link not in theirs], [link for link in theirs if link not in ours]


def is_untracked(write):
    """Whether the version counter of the kept value's family does not see this write."""
    return any(link.kind in UNTRACKED for link in chain(write.alias))


def describe_link(link, where):
    """``shares h's memory: detach() does not copy``."""
    node = syntax.receiver(where.expression) if where is not None and where.expression is not None else None
    source = where.source_of(node) if node is not None else None
    owner = f"{source}'s memory" if source else "the memory"
    if link.kind == "detach":
        return f"shares {owner}: detach() does not copy"
    if link.kind == "data":
        return f"shares {owner}: .data does not copy, and writes through it are not noticed"
    if link.kind in OWN_COUNTER:
        return f"shares memory: {OWN_COUNTER[link.kind]} does not copy, and writes through it are not noticed"
    return f"a view of {source or 'it'}: the same memory"
