"""``torch.onnx``: models as ONNX files, which onnxruntime and others run without leafward.

``export`` runs the model once on an example, and writes down what each op does: most by running its forward on symbols, the
others by what they say of themselves (``@op.onnx``); an ``Identity`` gives each result its name. The package ``onnx`` writes
the file: ``pip install "leafward[onnx]"``.

>>> import leafward as lw
>>> model = lw.nn.Sequential(lw.nn.Linear(4, 8), lw.nn.GELU(), lw.nn.Linear(8, 2))
>>> program = lw.onnx.export(model, (lw.ones(3, 4),), input_names=["x"], output_names=["y"], dynamic_axes={"x": {0: "n"}})
>>> [node.op_type for node in program.model_proto.graph.node]
['Gemm', 'Gelu', 'Gemm', 'Identity']
"""
from leafward.compat.onnx.exporting import ONNXProgram, export
from leafward.compat.onnx.tracing import is_in_onnx_export  # noqa: F401
from leafward.errors import OnnxExporterError
from leafward.tensor.missing import names_missing_from

__all__ = ["ONNXProgram", "OnnxExporterError", "export", "is_in_onnx_export"]


class TrainingMode:
    """How a model is exported: ``EVAL``, or as it is (``PRESERVE``)."""

    EVAL, PRESERVE, TRAINING = range(3)


class OperatorExportTypes:
    """Which operators are written: ONNX's own."""

    ONNX, ONNX_ATEN, ONNX_ATEN_FALLBACK, ONNX_FALLTHROUGH = range(4)


def register_custom_op_symbolic(symbolic_name, symbolic_fn, opset_version):
    """Take what tells PyTorch's exporter of an operator; here an op says itself what it is, by ``@op.onnx``."""


def unregister_custom_op_symbolic(symbolic_name, opset_version):
    """Nothing: see :func:`register_custom_op_symbolic`."""


__getattr__ = names_missing_from("torch.onnx", globals())
