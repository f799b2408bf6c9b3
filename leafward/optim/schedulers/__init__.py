"""Schedules for learning rates; their public place is ``leafward.optim.lr_scheduler``."""
