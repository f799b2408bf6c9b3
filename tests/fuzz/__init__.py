"""Random programs, run on leafward and on PyTorch in step: ``make fuzz MINUTES=60``.

``values.py`` writes tensors down, ``calls.py`` calls of declared ops, ``programs.py`` whole programs; ``stepping.py`` runs
one on both sides (``sides.py``) and compares after each statement (``comparing.py``); ``rounding.py`` and ``faults.py`` tell
what only seems to differ, ``on_purpose.py`` what is meant to; ``shrinking.py`` makes a program short; ``running.py`` does
all that in processes that may crash or hang.
"""
