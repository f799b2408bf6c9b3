"""Schedules for the learning rate: call ``scheduler.step()`` after each epoch's ``optimizer.step()``."""
from leafward.tensor.missing import names_missing_from
from leafward.optim.schedulers.base import EPOCH_DEPRECATION_WARNING, LRScheduler, _LRScheduler
from leafward.optim.schedulers.combined import ChainedScheduler, SequentialLR
from leafward.optim.schedulers.cyclic import CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR
from leafward.optim.schedulers.plateau import ReduceLROnPlateau
from leafward.optim.schedulers.simple import (
    ConstantLR, CosineAnnealingLR, ExponentialLR, LambdaLR, LinearLR, MultiplicativeLR, MultiStepLR, PolynomialLR,
    StepLR,
)

__all__ = [
    "EPOCH_DEPRECATION_WARNING", "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts",
    "CyclicLR", "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR",
    "PolynomialLR", "ReduceLROnPlateau", "SequentialLR", "StepLR", "_LRScheduler",
]

__getattr__ = names_missing_from("torch.optim.lr_scheduler", globals())
