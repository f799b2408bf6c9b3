"""Reference pages of what is no op: layers, optimizers, distributions, functions, the methods of tensors. Made of docstrings.

A docstring there has a definition first, then lines ``name: what it means`` for the arguments, which go on in indented lines,
and examples as at the prompt. ``leafward.derive.reference`` writes the pages beside those of the ops.
"""
import inspect
import re
import sys
from importlib import import_module

from leafward.core.op import registry
from leafward.derive.docstrings import Docstring
from leafward.derive.documentation import paths_of
from leafward.derive.functions import inplace_paths
from leafward.ops.creation import creations

TOP = __name__.partition(".")[0]
LAYERS = f"{TOP}.nn.modules."
#: The modules that have a page ("": the package itself): what two of them show stands on the page of the first.
#: ``tests/test_public_names.py`` finds a name that none of them shows.
PACKAGES = """
    nn nn.init nn.parameter nn.functional nn.grad nn.utils.rnn nn.utils.prune nn.utils.parametrize nn.utils.parametrizations
    nn.utils.stateless nn.utils.spectral_norm nn.utils.weight_norm nn.utils nn.parallel nn.attention nn.attention.bias
    nn.attention.flex_attention nn.modules.lazy nn.modules.module nn.modules.utils
    optim.lr_scheduler optim.swa_utils optim optim.optimizer
    distributions.transforms distributions.constraints distributions.constraint_registry distributions.kl distributions
    distributions.relaxed_bernoulli distributions.relaxed_categorical distributions.utils
    utils.data utils.data.datapipes.iter utils.data.datapipes.map utils.checkpoint utils.tensorboard utils.tensorboard.summary
    utils.benchmark utils.collect_env utils.flop_counter utils.hooks
    func autograd.functional autograd.forward_ad autograd.graph autograd autograd.gradcheck autograd.function
    autograd.profiler autograd.variable amp amp.grad_scaler trust testing overrides
    multiprocessing.reductions multiprocessing.spawn multiprocessing
    distributed.fsdp distributed.tensor distributed.checkpoint distributed.checkpoint.state_dict
    distributed.checkpoint.format_utils distributed.checkpoint.metadata distributed.checkpoint.stateful distributed.optim
    distributed.nn.functional distributed.algorithms.join distributed.algorithms.ddp_comm_hooks.default_hooks
    distributed.algorithms.ddp_comm_hooks.powerSGD_hook distributed.elastic.multiprocessing.errors distributed.run distributed
    futures sparse masked library hub ao.nn.quantized.dynamic ao.nn.quantized ao.quantization
    onnx onnx.symbolic_helper export jit fx compiler profiler profiler.itt quasirandom linalg return_types
    accelerator cpu cpu.amp cuda.streams cuda.amp cuda mps backends.cpu backends.cuda backends.mkl backends.mps backends.openmp
    torch_version
    """.split() + ["", "serialization"]
#: What such a module shows though it is written elsewhere, and another name of it stands on no other page.
BORROWED = {"autograd.graph": ("allow_mutation_on_saved_tensors",), "distributed.run": ("main",),
            "distributed": ("GradBucket",), "futures": ("Future",), "linalg": ("LinAlgError",),
            "mps": ("current_allocated_memory", "device_count", "driver_allocated_memory", "is_available"),
            "nn.functional": ("assert_int_or_pair", "boolean_dispatch", "multi_head_attention_forward"),
            "serialization": ("StorageType",), "utils.benchmark": ("select_unit",), "profiler": ("kineto_available",)}
NAMES = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*): (.*)$")
HEADINGS = {"Raises", "Shape", "Source"}
ROLE = re.compile(r":\w+:`~?([^`]*)`")
CODE = re.compile(r"(`[^`]*`)")


def plain(text):
    """Markdown for one piece of a docstring: names as code, and nothing else that Markdown would take for its own."""
    text = ROLE.sub(r"`\1`", text.replace("``", "`"))
    return "".join(part if part.startswith("`") else part.replace("*", r"\*").replace("<", "&lt;") for part in CODE.split(text))


# --- one object ------------------------------------------------------------------------------------------------------

def shown_signature(path, value):
    """``nn.Linear(in_features, out_features, bias=True, device=None, dtype=None)``, or the bare name."""
    takes_nothing = isinstance(value, type) and value.__init__ is object.__init__ and value.__new__ is object.__new__
    if not callable(value) or takes_nothing:                # of such a class, compiled, Python knows no signature
        return path
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return path
    parts = [p.replace(annotation=p.empty, default=p.default if p.default is p.empty or is_plain(p.default) else ...)
             for p in signature.parameters.values() if not p.name.startswith("_")]
    parts = parts[1:] if parts and parts[0].name == "self" else parts
    written = str(inspect.Signature(parts)).replace("Ellipsis", "...")
    return path + written


def is_plain(default):
    """Whether its ``repr`` says all of it, and on one line."""
    return not callable(default) and " at 0x" not in repr(default) and len(repr(default)) < 40


def pieces(doc):
    """A docstring as ``(kind, lines)``: paragraphs, examples, and indented text as it stands."""
    kind, lines = None, []
    for line in [*inspect.cleandoc(doc).split("\n"), ""]:
        found = None if not line.strip() else "example" if line.startswith(">>>") or kind == "example" else \
            "as it stands" if line.startswith("    ") and not lines else kind or "paragraph"
        if found != kind and lines:
            yield kind, lines
            lines = []
        kind = found
        if found:
            lines.append(line)


def entries(lines):
    """A paragraph as prose and as ``(names, text)`` pairs, in their order."""
    found = []
    for line in lines:
        match = NAMES.match(line)
        if match:
            found.append([match[1], match[2]])
        elif found and found[-1][0] is not None and line.startswith(" "):
            found[-1][1] += " " + line.strip()
        elif found and found[-1][0] is None:
            found[-1][1] += "\n" + line
        else:
            found.append([None, line])
    return found


def markdown(doc):
    """A docstring as Markdown."""
    parts = []
    for kind, lines in pieces(doc):
        if kind == "example":
            parts.append("```python\n" + "\n".join(lines) + "\n```")
        elif kind == "as it stands":
            parts.append("\n".join(lines))
        else:
            bullets = []
            for names, text in entries(lines):
                if names is None:
                    parts += ["\n".join(bullets)] * bool(bullets) + [plain(text)]
                    bullets = []
                else:
                    label = names.lower() if names in HEADINGS else ", ".join(f"`{name}`" for name in names.split(", "))
                    bullets.append(f"- {label}: {plain(text)}")
            parts += ["\n".join(bullets)] * bool(bullets)
    return "\n\n".join(parts)


def methods(value):
    """``(name, method)`` of what a class itself says of its methods, and the mixins that only it is put together from."""
    return [(name, member) for cls in (value, *filter(is_mixin, value.__bases__[1:])) for name, member in vars(cls).items()
            if not name.startswith("_") and callable(member) and inspect.getdoc(member) and member.__doc__
            and getattr(member, "__module__", TOP) != "builtins"]


def is_mixin(base):
    """Whether it is a part of a class that has no entry of its own."""
    package = base.__module__.rpartition(".")[0]
    return package.startswith(f"{TOP}.") and package != f"{TOP}.core" and not hasattr(sys.modules[package], base.__name__)


def entry(path, value):
    parts = [f"### `{shown_signature(path, value)}`", markdown(value.__doc__)]
    if inspect.isclass(value) and (found := methods(value)):
        parts.append("Methods\n\n" + "\n".join(
            f"- `{shown_signature(name, member)}`: {plain(first_sentence(member.__doc__))}" for name, member in found))
    return "\n\n".join(parts) + "\n"


def first_sentence(doc):
    return " ".join(next(iter(pieces(doc)))[1])


# --- what has a page -------------------------------------------------------------------------------------------------

def paths_of_ops():
    """Where ops are found, whose pages are made of their declarations."""
    found = {path for declared in (*registry.values(), *creations) for path in paths_of(declared)}
    return found | {path for op in registry.values() if op.inplace for path in inplace_paths(op)}


def public_names(package):
    """``(path, value)`` of the classes and functions that users find there."""
    module = import_module(f"{TOP}.{package}" if package else TOP)
    listed = getattr(module, "__all__", None)
    borrowed = BORROWED.get(package, ())
    for name in sorted({*(listed or dir(module)), *borrowed}, key=lambda name: (name.lower(), name)):
        value = getattr(module, name)
        if name.startswith("_") or not (inspect.isclass(value) or inspect.isroutine(value)) or not value.__doc__:
            continue
        home = getattr(value, "__module__", None) or ""
        if listed or not package or home == module.__name__ or name in borrowed:
            yield f"{package}.{name}".lstrip("."), value


def members():
    """``(path, value)`` of what ``Tensor`` has beside its ops, and the names of what says nothing of itself."""
    tensor = import_module(TOP).Tensor
    ops, told, silent = paths_of_ops(), [], []
    for name in dir(tensor):
        if name.startswith("_") or f"Tensor.{name}" in ops:
            continue
        doc = getattr(getattr(tensor, name), "__doc__", None)
        (told if doc and doc.strip() else silent).append(name)
    return [(f"Tensor.{name}", getattr(tensor, name)) for name in told], silent


def object_pages():
    """``{name of the page: (about, [(path, value)])}``: layers by the file that they stand in, all else by package."""
    found, ops, seen = {}, paths_of_ops(), set()
    for package in PACKAGES:
        for path, value in public_names(package):
            if (path if "." in path else f"torch.{path}") in ops or id(value) in seen:
                continue
            seen.add(id(value))
            home = getattr(value, "__module__", None) or ""
            page = f"layers/{home.removeprefix(LAYERS)}" if home.startswith(LAYERS) and inspect.isclass(value) \
                else f"packages/{package or TOP}"
            module = import_module(home if page.startswith("layers/") else f"{TOP}.{package}" if package else TOP)
            found.setdefault(page, (Docstring(module.__doc__).definition, []))[1].append((path, value))
    return found


def page_texts():
    """``{name of the page: text}``, the notice at the top left out."""
    texts = {}
    for page, (about, objects) in object_pages().items():
        title = page.rpartition("/")[2]
        texts[page] = f"# {title}\n\n{plain(about)}\n\n" + "\n".join(entry(path, value) for path, value in objects)
    told, silent = members()
    texts["packages/Tensor"] = (
        "# Tensor\n\nWhat a tensor has besides the ops, whose pages name theirs.\n\n"
        + "\n".join(entry(path, value) for path, value in told)
        + "\nAlso there, under PyTorch's names: " + ", ".join(f"`{name}`" for name in silent) + ".\n")
    return texts


def index(texts):
    """The lines of an index for these pages."""
    shown = {page: [path.rpartition(".")[2] for path, _ in objects] for page, (_, objects) in object_pages().items()}
    shown["packages/Tensor"] = [path.rpartition(".")[2] for path, _ in members()[0]]
    for folder, title in ("layers", "Layers"), ("packages", "Packages"):
        yield f"\n## {title}\n\n"
        for page in sorted(texts, key=str.lower):
            if page.startswith(f"{folder}/"):
                yield f"* [{page.rpartition('/')[2]}]({page}.md): {', '.join(shown[page])}\n"
