"""``torch.onnx.export``: the arguments, the second example, the checks, and the program that comes of it."""
import inspect
from itertools import count

from leafward.autograd import trees
from leafward.core.from_array import new_tensor
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase
from leafward.core.tracebacks import short
from leafward.core.modes import recording
from leafward.derive.functions import fns
from leafward.compat.onnx.graph import OPSET, OPSETS, Graph, onnx
from leafward.compat.onnx.symbols import Untranslatable
from leafward.compat.onnx.tracing import READ, TracedTensor, Tracing
from leafward.errors import OnnxExporterError, warn

#: Arguments of PyTorch's that choose among ways to do the same, or that ask for reports.
WITHOUT_EFFECT = {"verbose", "dynamo", "external_data", "report", "optimize", "profile", "dump_exported_program",
                  "artifacts_dir", "fallback", "do_constant_folding", "operator_export_type", "autograd_inlining",
                  "export_modules_as_functions", "custom_opsets"}
#: How far what the model gives for the second example may be from what was traced of it.
NEAR = {"rtol": 1e-3, "atol": 1e-4}


@short
def export(model, args=(), f=None, *, kwargs=None, input_names=None, output_names=None, opset_version=None,
           dynamic_shapes=None, dynamic_axes=None, export_params=True, keep_initializers_as_inputs=False, training=0,
           verify=False, custom_translation_table=None, **options):
    """Write ``model`` as an ONNX program, into the file ``f`` if one is named.

    The model runs once on ``args`` and ``kwargs``, in evaluation unless ``training`` says otherwise. ``dynamic_axes``
    (``{"x": {0: "batch"}}``) or ``dynamic_shapes`` (``({0: Dim("batch")},)``) name the sizes that may be others when it is
    used. ``verify=True`` compares what onnxruntime makes of it with the model. Weights are in the file unless
    ``export_params=False``.
    """
    for name in options:
        if name not in WITHOUT_EFFECT:
            raise TypeError(f"export() got an unexpected keyword argument '{name}'")
    if custom_translation_table:
        raise NotImplementedError("torch.onnx.export(custom_translation_table=...): an op says what it is in ONNX where it is "
                                  "declared, by @op.onnx")
    opset = OPSET if opset_version is None else opset_version
    if opset not in OPSETS:
        raise ValueError(f"opset_version={opset}: leafward writes {OPSETS[0]} to {OPSETS[-1]}")
    onnx()
    given = Given(model, args if isinstance(args, (tuple, list)) else (args,), kwargs or {}, input_names)
    given.set_dynamic(dynamic_axes, dynamic_shapes)
    modules = list(model.modules()) if hasattr(model, "modules") else []
    was = [module.training for module in modules]
    if modules and training == 0:
        model.eval()
    try:
        program = traced_program(given, opset, output_names, dynamic_axes or {}, export_params, keep_initializers_as_inputs)
    finally:
        for module, mode in zip(modules, was, strict=True):
            module.training = mode
    if verify:
        program.verify()
    if f is not None:
        program.save(f)
    return program


class Given:
    """The arguments of the model: tensors by name, and how to put others in their place."""

    def __init__(self, model, args, kwargs, names):
        if args and isinstance(args[-1], dict) and not kwargs:      # as PyTorch takes them: by name, in a dict at the end
            *args, kwargs = args
        self.model, self.names = model, []
        self.leaves, self.spec = trees.flatten([list(args), dict(kwargs)])
        self.at = [k for k, leaf in enumerate(self.leaves) if isinstance(leaf, TensorBase)]
        if not self.at:
            raise ValueError("torch.onnx.export: among args there is no tensor")
        own = parameter_names(model, args, kwargs)
        self.names = [*(names or ())][:len(self.at)]
        self.names += [own[k] for k in range(len(self.names), len(self.at))]
        self.parts = [*args, *kwargs.values()]
        self.part_names = part_names(model, args, kwargs)
        self.dynamic = [{} for _ in self.at]

    @property
    def tensors(self):
        return [self.leaves[k] for k in self.at]

    def call(self, tensors):
        """The model on other tensors in the places of these: its outputs that are tensors, in a list."""
        leaves = list(self.leaves)
        for k, tensor in zip(self.at, tensors, strict=True):
            leaves[k] = tensor
        args, kwargs = trees.unflatten(leaves, self.spec)
        outputs, _ = trees.flatten(as_container(self.model(*args, **kwargs)))
        return [value for value in outputs if isinstance(value, TensorBase)]

    def set_dynamic(self, axes, shapes):
        """Note the names of the sizes that may vary, for each tensor ``{dim: name}``."""
        fresh = count()
        for name, which in (axes or {}).items():
            if name in self.names:
                at = self.names.index(name)
                which = which if isinstance(which, dict) else {dim: f"{name}_dim_{dim}" for dim in which}
                self.dynamic[at].update({self.dim(at, dim): label for dim, label in which.items()})
        if shapes is None:
            return
        if isinstance(shapes, dict):
            shapes = [shapes.get(name) for name in self.part_names]
        if len(shapes) != len(self.parts):
            raise ValueError(f"dynamic_shapes has {len(shapes)} parts, and the model {len(self.parts)} arguments")
        found = [marks for part, shape in zip(self.parts, shapes, strict=True) for marks in marked(part, shape)]
        for at, marks in enumerate(found):
            for dim, label in marks:
                if label is not None:
                    label = label if isinstance(label, str) else label.__name__
                    self.dynamic[at][self.dim(at, dim)] = label or f"size_{next(fresh)}"

    def dim(self, at, dim):
        rank = self.tensors[at]._array.ndim
        if not -rank <= dim < rank:
            raise ValueError(f"a dynamic dim {dim} of the input {self.names[at]}, which has {rank}")
        return dim % rank

    def sizes(self):
        """The sizes that may vary, by name, as the example has them."""
        found = {}
        for name, tensor, dynamic in zip(self.names, self.tensors, self.dynamic, strict=True):
            for dim, label in dynamic.items():
                size = tensor._array.shape[dim]
                if found.setdefault(label, size) != size:
                    raise ValueError(f"the dynamic size {label!r} is {found[label]} and, in the input {name}, {size}")
        return found

    def second(self, sizes, moved=True):
        """Arrays of a second example: other values (or, where not ``moved``, the same), and these ``sizes``."""
        return [another(tensor._array, moved, [sizes.get(dynamic.get(d), n) for d, n in enumerate(tensor._array.shape)])
                for tensor, dynamic in zip(self.tensors, self.dynamic, strict=True)]


def marked(part, shape):
    """For each tensor in an argument what ``dynamic_shapes`` says of its dims: ``[(dim, label)]``."""
    if isinstance(part, TensorBase):
        return [list(enumerate(shape) if isinstance(shape, (tuple, list)) else (shape or {}).items())]
    inner = list(part.values()) if isinstance(part, dict) else list(part) if isinstance(part, (tuple, list)) else []
    if isinstance(shape, dict) and isinstance(part, dict):
        shape = [shape.get(key) for key in part]
    elif not isinstance(shape, (tuple, list)):
        shape = [shape] * len(inner)
    return [marks for each, own in zip(inner, shape, strict=True) for marks in marked(each, own)]


def another(array, moved, shape):
    """An array of ``shape`` with values of the kind that ``array`` has: the same, moved by one, and floats a little smaller."""
    xp = runtime.xp
    size = 1
    for n in shape:
        size *= n
    flat = xp.roll(array.reshape(-1), int(moved))
    flat = xp.tile(flat, -(-size // max(flat.size, 1)))[:size].reshape(shape)
    return xp.asarray(flat * flat.dtype.type(0.75)) if moved and flat.dtype.kind in "fc" else flat


def as_container(output):
    """What a model returned as something that is taken apart: the outputs of transformers' models are dicts."""
    return list(output.values()) if hasattr(output, "values") and hasattr(output, "keys") else output


def parameter_names(model, args, kwargs):
    """Names for the tensors among the arguments, by the parameters of ``forward``."""
    found = []
    for name, part in zip(part_names(model, args, kwargs), [*args, *kwargs.values()], strict=True):
        leaves = [leaf for leaf in trees.flatten(part)[0] if isinstance(leaf, TensorBase)]
        found += [name] if len(leaves) == 1 else [f"{name}_{k}" for k in range(len(leaves))]
    return found


def part_names(model, args, kwargs):
    function = model.forward if hasattr(model, "forward") else model
    try:
        names = [p.name for p in inspect.signature(function).parameters.values() if p.kind in (p.POSITIONAL_ONLY,
                                                                                             p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        names = []
    names += [f"input_{k}" for k in range(len(names), len(args))]
    return [*names[:len(args)], *kwargs]


def other_sizes(sizes):
    """Sizes for the second example, several choices: no two models can do with all."""
    smaller = {name: n - 1 if n > 2 else n + 1 for name, n in sizes.items()}
    return [smaller, {name: n + 1 for name, n in sizes.items()}, {name: 2 * n for name, n in sizes.items()},
            {name: n // 2 if n > 3 else 2 * n for name, n in sizes.items()}] if sizes else [{}]


def examples(given):
    """``(sizes, arrays)`` of second examples, to be tried one after the other."""
    for moved in True, False:
        for sizes in other_sizes(given.sizes()):
            yield sizes, given.second(sizes, moved)


def traced_program(given, opset, output_names, dynamic_axes, export_params, weights_as_inputs):
    """The program of a model on its arguments, checked on a second example."""
    refused = None
    for sizes, arrays in examples(given):
        with recording(False):
            try:
                wanted = given.call([new_tensor(array.copy(), tensor._dtype)
                                     for array, tensor in zip(arrays, given.tensors, strict=True)])
            except (RuntimeError, ValueError, IndexError) as error:     # the model cannot do with such sizes
                refused = refused or error
                continue
            graph = Graph(opset)
            outputs = trace(given, graph, arrays)
        check(given, graph, outputs, wanted, sizes)
        return finished(given, graph, outputs, output_names, dynamic_axes, export_params, weights_as_inputs)
    with recording(False):                                  # what it does not take is told in its own words
        given.call([new_tensor(runtime.xp.copy(tensor._array), tensor._dtype) for tensor in given.tensors])
    raise OnnxExporterError("the model runs on the example, and on none with other dynamic sizes: name fewer of them in "
                            f"dynamic_axes. It said: {refused}") from refused


def trace(given, graph, arrays):
    """The outputs of the model, traced, with the nodes that lead to them in ``graph``."""
    names = [graph.own(name) for name in given.names]
    model = given.model
    if hasattr(model, "named_parameters"):
        graph.call([*model.named_parameters(), *model.named_buffers()])
    with Tracing(graph) as level:
        inputs = [level.input(name, runtime.xp.copy(tensor._array), array)
                  for name, tensor, array in zip(names, given.tensors, arrays, strict=True)]
        outputs = given.call(inputs)
        if not outputs:
            raise OnnxExporterError("the model returned no tensor")
        try:
            return [(value, level.symbol_of(value), value._second if isinstance(value, TracedTensor) else value)
                    for value in outputs]
        except Untranslatable as reason:
            raise NotImplementedError(f"torch.onnx.export: an output has no form in ONNX here: {reason}") from reason


def is_near(found, wanted):
    """Whether two tensors are the same, but for rounding."""
    return tuple(found._array.shape) == tuple(wanted._array.shape) and found._dtype is wanted._dtype and bool(
        fns.allclose(new_tensor(found._array, found._dtype), wanted, equal_nan=True, **NEAR))


def check(given, graph, outputs, wanted, sizes):
    """Refuse a trace that the model itself departs from on the second example."""
    from leafward.trust.source import place
    if len(outputs) == len(wanted) and all([is_near(mine[2], value) for mine, value in zip(outputs, wanted, strict=True)]):
        for read in [place(site) for site in dict.fromkeys(graph.reads)]:
            warn(f"torch.onnx.export: {READ}, {read.file}:{read.line}: what it decides there stays as the example has it")
        return
    lines = [f"    {text}, {found.file}:{found.line}" for text, site in graph.decisions if (found := place(site)) is not None]
    other = "another example" + "".join([f", {name} = {size}" for name, size in sizes.items()])
    raise OnnxExporterError(
        f"the model computes something else for {other} than what was recorded: it decides by values or by sizes, and a "
        "program of ONNX has only the way that the example went. " + ("It did so here:\n" + "\n".join(lines) if lines else
                                                                     "Let it compute with tensors what it decides."))


def finished(given, graph, outputs, output_names, dynamic_axes, export_params, weights_as_inputs):
    names = [*(output_names or ())][:len(outputs)]
    names += [f"output_{k}" for k in range(len(names), len(outputs))] if len(outputs) > 1 else ["output"][len(names):]
    for name in dynamic_axes:
        if name not in given.names and name not in names:
            warn(f"Provided key {name} for dynamic axes is not a valid input/output name: these are "
                 f"{', '.join([*given.names, *names])}")
    inputs, known = [], {}
    for name, tensor, dynamic in zip(given.names, given.tensors, given.dynamic, strict=True):
        inputs.append((name, tensor._array.dtype, [dynamic.get(d, n) for d, n in enumerate(tensor._array.shape)]))
    for label, n in given.sizes().items():
        known.setdefault(n, label)
    results = []
    for name, (value, symbol, second) in zip(names, outputs, strict=True):
        name = graph.own(name)
        graph.nodes.append(("Identity", [symbol.name], [name], {}))
        labels = dynamic_axes.get(name, {})
        labels = labels if isinstance(labels, dict) else {d: f"{name}_dim_{d}" for d in labels}
        dims = [n if n == m else labels.get(d, labels.get(d - value._array.ndim, known.get(n, f"{name}_dim_{d}")))
                for d, (n, m) in enumerate(zip(value._array.shape, second._array.shape, strict=True))]
        results.append((name, value._array.dtype, dims))
    proto = graph.proto(inputs, results, export_params, weights_as_inputs)
    return ONNXProgram(proto, given, [value._array for value, _, _ in outputs])


class ONNXProgram:
    """An exported model: ``save`` it, look at its ``model_proto``, or call it, which onnxruntime then does."""

    def __init__(self, model_proto, given, outputs):
        self.model_proto, self.given, self.outputs, self.session = model_proto, given, outputs, None

    def save(self, destination):
        """Write the file; weights of more than 1.9 GB go into a second one beside it."""
        package = onnx()
        large = self.model_proto.ByteSize() >= 1_900_000_000
        package.save(self.model_proto, destination, **({"save_as_external_data": True} if large else {}))

    def __call__(self, *args):
        """What onnxruntime computes with the program, as tensors in a tuple."""
        from leafward.core.from_array import tensor_from_array
        if self.session is None:
            try:
                import onnxruntime
            except ImportError:
                raise ImportError("an exported program is run by onnxruntime: pip install onnxruntime") from None
            program = self.model_proto.SerializeToString()
            self.session = onnxruntime.InferenceSession(program, providers=["CPUExecutionProvider"])
        names = [value.name for value in self.session.get_inputs()]
        given = dict(zip(self.given.names, args, strict=True))
        results = self.session.run(None, {name: runtime.xp.copy(given[name]._array) for name in names})
        return tuple([tensor_from_array(array) for array in results])

    def verify(self):
        """Compare what onnxruntime makes of the example with what the model made of it."""
        for name, found, wanted in zip(self.model_proto.graph.output, self(*self.given.tensors), self.outputs, strict=True):
            if not is_near(found, new_tensor(wanted, runtime.dtype_of[wanted.dtype])):
                raise OnnxExporterError(f"onnxruntime computes something else for the output {name.name}")
