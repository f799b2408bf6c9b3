"""Neural networks: layers, losses, containers, initial values."""
from leafward.nn import functional, init, modules, parameter, utils
from leafward.nn.modules import *  # noqa: F403  (the names are listed in modules.__all__)
from leafward.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
