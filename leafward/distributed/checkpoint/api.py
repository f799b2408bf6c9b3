"""What goes wrong with a checkpoint."""


class CheckpointException(BaseException):
    """Saving or loading failed on some ranks; all of them are told.

    msg: what was done
    failures: a dict from ranks to what went wrong there

    >>> CheckpointException("save", {1: OSError("disk full")}).failures
    {1: OSError('disk full')}
    """

    def __init__(self, msg, failures):
        super().__init__(msg, failures)
        self._failures = failures

    @property
    def failures(self):
        """A dict from ranks to what went wrong there."""
        return self._failures

    def __str__(self):
        rows = [f"  rank {rank}: {type(error).__name__}: {error}" for rank, error in sorted(self._failures.items())]
        return "\n".join([f"CheckpointException ranks:{sorted(self._failures)}: {self.args[0]} failed", *rows])
