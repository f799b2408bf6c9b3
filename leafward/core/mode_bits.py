"""One bit for each switch of a thread. Packed together they are its word of modes, which a call reads once."""

NO_GRAD, INFERENCE, ANOMALY, HOOKS, GUARD, PROFILER, FUNCTIONS, LEVELS = (1 << position for position in range(8))

#: With one of these nothing is recorded, and that is all: such a call takes the same path as any other.
UNRECORDED = NO_GRAD | INFERENCE
#: With one of these somebody else may answer a call: a function mode, or a level of forward mode or vmap.
ANSWERED = FUNCTIONS | LEVELS
