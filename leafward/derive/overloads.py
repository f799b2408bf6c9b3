"""Ops under PyTorch's dispatcher names: ``torch.ops.aten.mm.default``, which policies compare operations with."""
import re

from leafward.core.op import registry
from leafward.core.recording import node_class_of


class OpOverload:
    """One operation by its name there. leafward has one op where PyTorch has overloads, so any two of a name are equal."""

    namespace = "aten"

    def __init__(self, name, overload="default"):
        self.packet, self.overload = name, overload

    def __eq__(self, other):
        return isinstance(other, OpOverload) and self.packet.strip("_") == other.packet.strip("_")

    def __hash__(self):
        return hash(self.packet.strip("_"))

    def __str__(self):
        return f"aten.{self.packet}.{self.overload}"

    def __repr__(self):
        return f"<OpOverload(op='aten.{self.packet}', overload='{self.overload}')>"

    def name(self):
        """``"aten::mm"``."""
        return f"aten::{self.packet}" + ("" if self.overload == "default" else f".{self.overload}")

    def __call__(self, *args, **kwargs):
        names = self.packet, self.packet.strip("_"), f"_{self.packet}"         # slice is an op that nobody else calls
        declared = next((registry[name] for name in names if name in registry), None)
        if declared is None:
            raise NotImplementedError(f"{self} is a name for policies here: call the function itself")
        return declared.public_function(*args, **kwargs)


class OpOverloadPacket:
    """All overloads of one name: ``torch.ops.aten.mm``."""

    def __init__(self, name):
        self.name = name

    def __getattr__(self, overload):
        if overload.startswith("__"):
            raise AttributeError(overload)
        return OpOverload(self.name, overload)

    def __repr__(self):
        return f"<OpOverloadPacket(op='aten.{self.name}')>"

    def __str__(self):
        return f"aten.{self.name}"

    def __call__(self, *args, **kwargs):
        return OpOverload(self.name)(*args, **kwargs)


class Aten:
    """``torch.ops.aten``."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return OpOverloadPacket(name)


def overload_of(op, inputs, options):
    """The name of a call of ``op``: what PyTorch calls its node, ``mm`` for a product of matrices."""
    node = node_class_of(op) if op.node_choice is None else op.node_choice(inputs, options)
    name = re.sub(r"Backward\d*$", "", node.__name__)
    if name == node.__name__:                               # NotImplemented
        return OpOverload(op.name)
    name = re.sub(r"(?<=\d)D(?![a-z])", "d", name)          # MaxPool2DWithIndices
    return OpOverload(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower())
