"""``python -m leafward``: the same commands as ``leafward``."""
import sys

from leafward.cli import main

sys.exit(main())
