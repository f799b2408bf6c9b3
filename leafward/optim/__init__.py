"""Optimizers, and schedules for their learning rates."""
from leafward.tensor.missing import names_missing_from
from leafward.optim import lr_scheduler, swa_utils
from leafward.optim.adadelta import Adadelta
from leafward.optim.adafactor import Adafactor
from leafward.optim.adagrad import Adagrad
from leafward.optim.adam import Adam
from leafward.optim.adamax import Adamax
from leafward.optim.adamw import AdamW
from leafward.optim.asgd import ASGD
from leafward.optim.lbfgs import LBFGS
from leafward.optim.muon import Muon
from leafward.optim.nadam import NAdam
from leafward.optim.optimizer import Optimizer
from leafward.optim.radam import RAdam
from leafward.optim.rmsprop import RMSprop
from leafward.optim.rprop import Rprop
from leafward.optim.sgd import SGD
from leafward.optim.shared_arguments import explain_arguments
from leafward.optim.sparse_adam import SparseAdam

__all__ = ["ASGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "LBFGS", "Muon", "NAdam", "Optimizer",
           "RAdam", "RMSprop", "Rprop", "SGD", "SparseAdam", "lr_scheduler", "swa_utils"]

explain_arguments(value for module in (globals(), vars(lr_scheduler), vars(swa_utils)) for name in module["__all__"]
                  if isinstance(value := module[name], type))

__getattr__ = names_missing_from("torch.optim", globals())
