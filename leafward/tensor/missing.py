"""The error for a name of PyTorch's that leafward lacks: PyTorch's words, and the nearest thing that exists."""

LAYOUTS = "sparse tensors are COO or CSR here: use torch.sparse_coo_tensor or torch.sparse_csr_tensor"
NO_QUANTIZED = ("leafward has no quantized tensors: torch.ao.quantization.quantize_dynamic gives a model weights of 8 bits; "
                "keep a tensor as torch.int8 with a scale of your own")
NO_GRAPH_COMPILER = "there is no graph compiler: call the function as it is"
ON_THE_CPU = "leafward computes on the CPU"
ONE_LAYOUT = "tensors are NumPy's arrays here: there is no other layout to change to"
PYTHON_OPS = "write a torch.autograd.Function, or declare an op of your own with leafward.core.op.op"

NO_SCRIPT = "there is no TorchScript: call the function as it is"
NO_STREAMS = "what is called has been computed when the call returns: there is nothing to wait for"
OTHER_LIBRARY = "a kernel of another library: use the function of torch or torch.nn.functional without that prefix"
NORMS_OF_GPUS = "a part of batch norm on GPUs: use torch.nn.functional.batch_norm, or torch.nn.SyncBatchNorm"
INNER = "PyTorch's own affairs: nothing here needs it"
NAMED_CASTS = ("use torch.get_autocast_dtype, set_autocast_dtype, is_autocast_enabled and set_autocast_enabled, with the "
               "device's name")
BUILT_IN = "torch.__config__.show() says what computes"
COPY_INTO = "out= of the function takes tensors to write into"
GUARDED = "guard this with torch.accelerator.is_available()"


def each(names, advice):
    return dict.fromkeys(names.split(), advice)


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
    **each("AliasDb AnyType Argument ArgumentSpec AwaitType Block BoolType BufferDict CallStack Capsule ClassType Code "
           "CompilationUnit CompleteArgumentSpec ComplexType Concrete* DeepCopyMemoTable Deserialization* DictType EnumType "
           "ErrorReport ExecutionPlan FileCheck FloatType FunctionSchema FutureType Gradient Graph "
           "GraphExecutorState IODescriptor InferredType "
           "IntType InterfaceType JITException ListType LiteScriptModule LockingLogger LoggerBase ModuleDict Node NoneType "
           "NoopLogger NumberType OperatorInfo OptionalType ParameterDict PyObjectType RRefType Script* Serialization* "
           "StaticModule StringType TensorType TracingState TupleType Type UnionType Use Value import_ir_module* "
           "merge_type_from_type_comment parse_ir parse_schema parse_type_comment unify_type_list", NO_SCRIPT),
    **each("fork wait Future", "run it in a thread: concurrent.futures has pools, torch.futures a Future"),
    "PyTorchFileWriter": "torch.save writes files",
    **each("Event Stream* cpu.Event cpu.Stream* cpu.current_stream mps.Event", NO_STREAMS),
    "accelerator.*": f"{ON_THE_CPU}; {GUARDED}", "mps.*": f"{ON_THE_CPU}; guard this with torch.mps.is_available()",
    "cpu.get_capabilities": BUILT_IN,
    **each("cudnn_* miopen_* mkldnn_* fbgemm_*", OTHER_LIBRARY), "batch_norm_*": NORMS_OF_GPUS,
    **each("choose_qparams_optimized empty_quantized fused_moving_avg_obs_fake_quant int_repr Tensor.qscheme", NO_QUANTIZED),
    **each("ccol_indices_copy row_indices_copy dsmm hsmm saddmm resize_as_sparse_ "
           "Tensor.resize_as_sparse_ Tensor.smm", LAYOUTS),
    **each("AVG SUM AggregationType BenchmarkConfig BenchmarkExecutionStats DeviceObjType DisableTorchFunction* DispatchKey* "
           "ExcludeDispatchKeyGuard FatalError Tag classproperty get_file_path init_num_threads native_norm "
           "prepare_multiprocessing_environment profiler_allow_* slice_inverse is_distributed thread_safe_generator "
           "Tensor.is_distributed Tensor.slice_inverse Tensor.const_data_ptr Tensor.grad_dtype Tensor.module_load "
           "random.thread_safe_generator utils.set_module utils.generate_methods_for_privateuse1_backend "
           "utils.rename_privateuse1_backend utils.get_cpp_backtrace multiprocessing.init_reductions "
           "autograd.profiler.EnforceUnique autograd.profiler.KinetoStepTracker autograd.profiler.MemRecordsAcc "
           "autograd.profiler.emit_itt autograd.profiler.load_nvprof autograd.profiler.parse_nvprof_trace "
           "overrides.BaseTorchFunctionMode overrides.get_default_nowrap_functions overrides.redispatch_function "
           "serialization.SourceChangeWarning serialization.check_module_version_greater_or_equal serialization.mkdtemp "
           "serialization.normalize_storage_type serialization.skip_data serialization.storage_to_tensor_type "
           "serialization.validate_cuda_device serialization.validate_hpu_device profiler.DeviceType "
           "profiler.ExecutionTraceObserver utils.hooks.BackwardHook utils.hooks.unserializable_hook "
           "utils.hooks.warn_if_has_hooks types.Storage fft.Tensor special.Tensor "
           "return_types.all_return_types return_types.pytree_register_structseq", INNER),
    **each("ThroughputBenchmark utils.ThroughputBenchmark", "use torch.utils.benchmark.Timer"),
    **each("autocast_* clear_autocast_cache is_autocast_cache_enabled set_autocast_cache_enabled",
           "torch.autocast remembers nothing between casts: leave it out"),
    **each("get_autocast_* set_autocast_* is_autocast_*", NAMED_CASTS),
    **each("compiled_with_cxx11_abi has_lapack has_mkl has_openmp has_spectral is_vulkan_available", BUILT_IN),
    "set_anomaly_enabled": "use torch.autograd.set_detect_anomaly", "get_device_module": "use torch.cpu",
    "segment_reduce": "use torch.scatter_reduce with the segment of each row as its index",
    **each("uint1 uint2 uint3 uint4 uint5 uint6 uint7 bit", "use uint8"),
    "Tensor.ipu": ON_THE_CPU, "Tensor.reinforce": "use torch.distributions, and the log_prob of what was drawn",
    **each("Tensor.resize Tensor.resize_as", "use x.resize_(...), or x.reshape(...)"),
    "Tensor.to_padded_tensor": "pad lists of tensors: torch.nn.utils.rnn.pad_sequence",
    "compiler.*": NO_GRAPH_COMPILER,
    **each("onnx.ExportableModule onnx.InputObserver onnx.JitScalarType onnx.select_model_mode_for_export",
           "torch.onnx.export writes a file by itself"), "return_types.*": COPY_INTO,
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
