"""``python -m leafward``: the same commands as ``leafward``."""
import sys

from leafward.app.cli import main

sys.exit(main())
