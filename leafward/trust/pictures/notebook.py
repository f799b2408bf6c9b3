"""What notebooks show of tensors, modules and nodes: HTML with escaped text and no program in it."""
from leafward.core.introspection import Accumulate
from leafward.core.tensor import array_of, requires_grad
from leafward.tensor.printing import shown_node
from leafward.trust.facts import op_of
from leafward.trust.pictures.drawing import Drawing, escaped, size
from leafward.trust.pictures.picture import Picture, typed
from leafward.trust.source import place

#: How many nodes the drawing of a node goes back, how large a tensor is whose values are summed up, how deep modules are open.
NODES, ELEMENTS, OPEN = 60, 10_000_000, 2
STYLE = "style='font: 13px/1.5 system-ui, sans-serif'"
SOFT = "style='opacity: .72'"


def tensor_html(tensor):
    """Its type, device, memory, history and range above its values."""
    if tensor._batch is not None or str(tensor.layout) != "torch.strided":
        return f"<pre>{escaped(repr(tensor))}</pre>"
    facts = [f"<b>{escaped(type(tensor).__name__)}</b>", f"shape {list(tensor.shape)}", escaped(str(tensor.dtype)),
             escaped(str(tensor.device)), size(tensor.nbytes)]
    lines = [" · ".join(facts), escaped(history_of(tensor))]
    if tensor.numel() > 1:
        lines.append(escaped(range_of(tensor)))
    head = "<br>".join(line for line in lines if line)
    return f"<div {STYLE}><div {SOFT}>{head}</div><pre style='margin: 4px 0'>{escaped(repr(tensor))}</pre></div>"


def history_of(tensor):
    """``made by sigmoid, train.py:12``; ``a leaf that requires grad; its .grad is None``."""
    if shown_node(tensor) == "Invalid":
        return "a view whose base was written: its history is lost"
    node = tensor.grad_fn
    if node is not None:
        where = None if node._site is None else place(node._site)
        return f"made by {op_of(node)}" + ("" if where is None else f", {where.where()}")
    if requires_grad(tensor):
        return f"a leaf that requires grad; its .grad is {'None' if tensor.grad is None else 'there'}"
    return ""


def range_of(tensor):
    """From where to where the values go, and how many are not finite."""
    dtype = tensor.dtype
    if not tensor.numel() <= ELEMENTS or dtype.is_complex or tensor.is_meta:
        return ""
    array = array_of(tensor.detach())
    if not dtype.is_floating_point:
        return f"values from {array.min()} to {array.max()}"
    finite = array.astype("float64")
    finite = finite[abs(finite) < float("inf")]             # NaN is not
    lost = array.size - finite.size
    told = [f"values from {finite.min():.4g} to {finite.max():.4g}, mean {finite.mean():.4g}"] if finite.size else []
    return "; ".join([*told, *([f"{lost} NaN or inf"] if lost else [])])


def module_html(module):
    """Its tree, with the number of parameters of each part."""
    return f"<div {STYLE}>{branch(module, '', 0, {})}</div>"


def branch(module, name, depth, named):
    """One module and those inside it; one that is there twice is shown once."""
    again = id(module) in named
    path = named.setdefault(id(module), name or "the module itself")
    count = sum(p.numel() for p in module.parameters())
    frozen = sum(p.numel() for p in module.parameters() if not p.requires_grad)
    notes = [f"{count:,} parameter{'' if count == 1 else 's'}" if count else "", f"{frozen:,} frozen" if frozen else "",
             "" if module.training else "eval", f"the same as {path}" if again else ""]
    extra = "" if module._modules else module.extra_repr().replace("\n", " ")
    title = (f"{f'<code>{escaped(name)}</code> ' if name else ''}<b>{escaped(module._get_name())}</b>"
             f"{f'({escaped(extra)})' if extra else ''} <span {SOFT}>{escaped(' · '.join(filter(None, notes)))}</span>")
    children = [] if again else [(inner, child) for inner, child in module._modules.items() if child is not None]
    own = [] if again else [(inner, p) for inner, p in module._parameters.items() if p is not None]
    if not children and not own:
        return f"<div style='margin-left: 16px'>{title}</div>"
    rows = "".join(f"<div style='margin-left: 16px'><code>{escaped(inner)}</code> <span {SOFT}>{typed(p.shape, p.dtype)}"
                   f"</span></div>" for inner, p in own)
    inside = "".join(branch(child, inner, depth + 1, named) for inner, child in children)
    opened = " open" if children and depth < OPEN else ""
    return f"<details{opened} style='margin-left: {16 if depth else 0}px'><summary>{title}</summary>{rows}{inside}</details>"


def node_html(node):
    """The drawing of what lies behind it."""
    if isinstance(node, Accumulate):
        return f"<div {STYLE}>adds the gradient to .grad of {typed(node.variable._array.shape, node.variable._dtype)}</div>"
    picture = Picture(node, most=NODES)
    more = picture.all - len(picture.nodes)
    return Drawing(picture)._repr_html_() + (f"<div {STYLE}>and {more:,} more nodes</div>" if more else "")
