"""The error for a name of PyTorch's that leafward lacks: PyTorch's words, and the nearest thing that exists."""

LAYOUTS = "sparse tensors are COO or CSR here: use torch.sparse_coo_tensor or torch.sparse_csr_tensor"
NO_QUANTIZED = ("leafward has no quantized tensors: torch.ao.quantization.quantize_dynamic gives a model weights of 8 bits; "
                "keep a tensor as torch.int8 with a scale of your own")
NO_GRAPH_COMPILER = "there is no graph compiler: call the function as it is"
ON_THE_CPU = "leafward computes on the CPU"
ONE_LAYOUT = "tensors are NumPy's arrays here: there is no other layout to change to"
PYTHON_OPS = "write a torch.autograd.Function, or declare an op of your own with leafward.core.op.op"

#: What to do instead, by name or by the beginning of one (with a star), without ``torch.``.
INSTEAD = {
    "sparse*": LAYOUTS, "to_sparse*": LAYOUTS, "sspaddmm": LAYOUTS, "Tensor.ccol_indices": LAYOUTS,
    "Tensor.row_indices": LAYOUTS,
    "nested": "keep lists of tensors, or pad them: torch.nn.utils.rnn.pad_sequence and a mask",
    "quant*": NO_QUANTIZED, "q_*": NO_QUANTIZED, "dequantize": NO_QUANTIZED, "fake_quantize*": NO_QUANTIZED,
    "ao.*": NO_QUANTIZED, "Tensor.int_repr": NO_QUANTIZED,
    "nn.quantized": NO_QUANTIZED, "nn.qat": NO_QUANTIZED, "nn.intrinsic": NO_QUANTIZED,
    "nn.quantizable": NO_QUANTIZED, "backends.quantized": NO_QUANTIZED,
    "Tensor.to_mkldnn": ONE_LAYOUT,
    "utils.swap_tensors": "graphs and views know a tensor by itself: exchange the values, a.data, b.data = b.data, a.data",
    "fx.*": "there are no graph transformations: a graph of recorded calls starts at tensor.grad_fn",
    "export.*": NO_GRAPH_COMPILER, "_dynamo.*": NO_GRAPH_COMPILER, "_inductor": NO_GRAPH_COMPILER, "_export": NO_GRAPH_COMPILER,
    "cond": "use an ordinary if", "while_loop": "use an ordinary while", "Sym*": "sizes are ordinary integers",
    "sym_*": "sizes are ordinary numbers: use Python's own functions",
    "jit.*": "there is no graph compiler: save weights with torch.save(model.state_dict(), path), and load them into the same "
             "class",
    "nn.Module.save": "torch.save(model.state_dict(), path) keeps the weights, torch.onnx.export writes a program",
    "package": "save the weights with torch.save or safetensors instead",
    "library.*": "define operators with torch.library.custom_op", "classes": PYTHON_OPS, "utils.cpp_extension": PYTHON_OPS,
    "utils.mobile_optimizer": NO_GRAPH_COMPILER,
    "utils.bottleneck": "use torch.profiler, or python -m cProfile",
    "xpu": ON_THE_CPU, "mtia": ON_THE_CPU, "Tensor.record_stream": ON_THE_CPU,
    "distributed.rpc": "send tensors and objects with torch.distributed.send and send_object_list",
    "cuda.*": f"{ON_THE_CPU}; guard this with torch.cuda.is_available()",
    "float4*": "use float16 or bfloat16", "bits*": "use uint8", "int1": "use int8", "int2": "use int8", "int3": "use int8",
    "int4": "use int8", "int5": "use int8", "int6": "use int8", "int7": "use int8",
    "Tensor.index": "brackets pick elements, x[i, j], and torch.index_select rows: there are no named dims to index with",
    "eig": "use linalg.eig", "symeig": "use linalg.eigh", "solve": "use linalg.solve",
    "lstsq": "use linalg.lstsq", "matrix_rank": "use linalg.matrix_rank",
}


class MissingNameError(AttributeError):
    """``torch.<name>`` does not exist here. The search for something near runs when the text is read."""

    def __init__(self, name, known, module="torch"):
        super().__init__(name)
        self.missing, self.known, self.module = name, known, module

    def __str__(self):
        advice = instead(self.missing, self.module) or nearest(self.missing, self.known, self.module)
        return f"module '{self.module}' has no attribute '{self.missing}'" + (f"\n{advice}" if advice else "")


class MissingMethodError(AttributeError):
    """A tensor has no such method or attribute."""

    def __init__(self, name, tensor):
        super().__init__(name, name=name, obj=tensor)        # Python adds "Did you mean" from these

    def __str__(self):
        advice = instead(self.name, "torch.Tensor")
        return f"'{type(self.obj).__name__}' object has no attribute '{self.name}'" + (f"\n{advice}" if advice else "")


# They are known under the package's name.
MissingNameError.__module__ = MissingMethodError.__module__ = "leafward"


def names_missing_from(module, known):
    """The ``__getattr__`` of PyTorch's ``module``, whose names here are ``known``, beside those that are only names."""
    def __getattr__(name):
        from leafward.tensor.absent import stand_in
        found = stand_in(module.removeprefix("torch."), name)
        if found is None:
            raise MissingNameError(name, known, module)
        return found
    return __getattr__


def instead(name, module="torch"):
    """What leafward says about ``torch.<name>``; None where it is not on the list."""
    path = f"{module}.{name}".removeprefix("torch.")
    for pattern, advice in INSTEAD.items():
        asked = name if module == "torch.Tensor" and not pattern.startswith("Tensor.") else path
        if asked == pattern or (pattern.endswith("*") and asked.startswith(pattern[:-1])):
            return f"leafward does not have torch.{path}: {advice}"
    return None


def nearest(name, known, module="torch"):
    """The names most like ``name``."""
    from difflib import get_close_matches
    close = get_close_matches(name, [n for n in known if not n.startswith("_")], n=3, cutoff=0.75)
    return f"leafward has {', '.join(f'{module}.{n}' for n in close)}" if close else None
