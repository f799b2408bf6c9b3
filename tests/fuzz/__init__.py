"""Random programs, run on leafward and on PyTorch in step: ``make fuzz MINUTES=60``.

``values.py`` writes tensors down, ``calls.py`` calls of declared ops, ``programs.py`` whole programs; ``stepping.py`` runs
one on both sides and compares after each statement; ``on_purpose.py`` knows what differs on purpose; ``shrinking.py`` makes
a program short; ``running.py`` does all that in processes that may crash or hang.
"""
