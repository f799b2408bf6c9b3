"""Neural networks: layers, losses, containers, initial values."""
from leafward.nn import attention, functional, grad, init, modules, parallel, parameter, utils
from leafward.nn.modules import *  # noqa: F403  (the names are listed in modules.__all__)
from leafward.nn.parallel import DataParallel
from leafward.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
