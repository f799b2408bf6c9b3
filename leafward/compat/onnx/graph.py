"""The graph that an export writes: values by name, nodes, weights, and the file made of them."""
from importlib import import_module

from leafward.core.native import call_site
from leafward import dtypes
from leafward.core.runtime import runtime
from leafward.compat.onnx.sizes import TracedSize

#: The versions of ONNX's operators that are written, and the one unless another is asked for.
OPSETS, OPSET = range(18, 24), 20
#: A protocol buffer holds two gigabytes: weights beyond so many bytes get a file of their own.
MOST_IN_ONE_FILE = 1_900_000_000


def onnx():
    """The package ``onnx``, or what to install."""
    try:
        return import_module("onnx")
    except ImportError:
        raise ImportError("torch.onnx.export writes its file with the package `onnx`: pip install \"leafward[onnx]\"") from None


class Graph:
    """Nodes in the order in which they were made. Equal nodes are one: every operator that is written is a function."""

    def __init__(self, opset):
        self.opset, self.made, self.nodes, self.values = opset, {}, [], {}
        self.weights, self.weight_names, self.names = {}, {}, set()
        self.decisions, self.reads = [], []     # what Python went by: (text, site), and where the user's program read values
        self.count = 0

    # -- values -----------------------------------------------------------------------------------------------------------

    def fresh(self, stem):
        """A name that nothing has."""
        self.count += 1
        return self.own(f"{stem}_{self.count}")

    def own(self, name):
        while name in self.names:
            name += "_"
        self.names.add(name)
        return name

    def node(self, kind, inputs, outputs=1, **attributes):
        """The name of what a new node gives, or of what an equal one gives; with several ``outputs`` a list of names."""
        inputs = ["" if i is None else i if isinstance(i, str) else self.constant(i) for i in inputs]
        while inputs and not inputs[-1]:
            inputs.pop()
        key = (kind, *inputs, outputs, *[(n, tuple(v) if isinstance(v, (list, tuple)) else v) for n, v in attributes.items()])
        found = self.made.get(key)
        if found is None:
            found = self.made[key] = [self.fresh(kind.lower()) for _ in range(outputs)]
            self.nodes.append((kind, inputs, found, attributes))
        return found if outputs > 1 else found[0]

    def constant(self, array):
        """The name of a constant."""
        xp = runtime.xp
        array = xp.asarray(array)
        key = (array.dtype.str, array.dtype.name, array.shape, array.tobytes())
        if key not in self.values:
            self.values[key] = name = self.fresh("constant")
            self.weights[name] = array
        return self.values[key]

    def weight(self, tensor):
        """The name of a parameter, a buffer, or another tensor that the model brings along."""
        key = (id(tensor), tensor._counter.version)
        if key not in self.weight_names:
            name, _ = self.weight_names.get(id(tensor), (None, None))
            if name is None and tensor._array.size <= 16:
                return self.constant(tensor._array)
            name = self.own(name or self.fresh("tensor"))
            self.weight_names[key] = name, tensor               # the tensor is kept, so that its id stays its own
            self.weights[name] = runtime.xp.resolved(tensor._array)
        return self.weight_names[key][0]

    def call(self, named):
        """Let the tensors of a model have its names for them: ``{name: tensor}``."""
        for name, tensor in named:
            self.weight_names.setdefault(id(tensor), (name, tensor))

    # -- sizes ------------------------------------------------------------------------------------------------------------

    def size(self, value):
        """A size as a vector of one element."""
        return value.name() if isinstance(value, TracedSize) else self.constant(runtime.xp.asarray([int(value)], dtypes.int64))

    def sizes(self, values):
        """Sizes as one vector."""
        if not any(isinstance(value, TracedSize) for value in values):
            return self.constant(runtime.xp.asarray([int(value) for value in values], dtypes.int64))
        return self.node("Concat", [self.size(value) for value in values], axis=0)

    def size_of(self, name, axis):
        """The size of a value along ``axis``."""
        return self.node("Shape", [name], start=axis, end=axis + 1)

    def note_decision(self, text):
        """Note that Python went one way because of the example."""
        site = call_site()
        if (text, site) not in self.decisions:
            self.decisions.append((text, site))

    # -- the file ---------------------------------------------------------------------------------------------------------

    def proto(self, inputs, outputs, export_params, weights_as_inputs):
        """The model of what ``outputs`` need; both are ``[(name, dtype, dims)]``."""
        package = onnx()
        helper, numpy_helper = package.helper, package.numpy_helper
        needed, kept = {name for name, _, _ in outputs}, []
        for kind, sources, results, attributes in reversed(self.nodes):
            if not needed.isdisjoint(results):
                needed.update(sources)
                kept.append(helper.make_node(kind, sources, results, name=results[0],
                                             **attributes))
        weights = {name: array for name, array in self.weights.items() if name in needed}
        own = {name for name, _ in self.weight_names.values()}

        def described(name, dtype, dims):
            return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), dims)
        given = [described(*each) for each in inputs]
        for name, array in weights.items():
            if weights_as_inputs or not export_params and name in own:
                given.append(described(name, array.dtype, list(array.shape)))
        stored = [numpy_helper.from_array(runtime.xp.ascontiguousarray(array).reshape(array.shape), name)
                  for name, array in weights.items() if export_params or name not in own]
        graph = helper.make_graph(kept[::-1], "main_graph", given, [described(*each) for each in outputs], stored)
        opsets = [helper.make_opsetid("", self.opset)]
        model = helper.make_model(graph, opset_imports=opsets, producer_name="leafward",
                                  ir_version=helper.find_min_ir_version_for(opsets))
        if sum(array.nbytes for array in weights.values()) < MOST_IN_ONE_FILE:
            package.checker.check_model(model)
        return model
