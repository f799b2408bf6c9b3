"""Programs that say ``import torch`` get the same behaviours once leafward is installed under that name."""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_founding_behaviours_under_the_name_torch():
    command = [sys.executable, "-m", "pytest", "tests/behaviour", "--impl", "as_torch", "-q", "-p", "no:cacheprovider"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]
    assert " passed" in result.stdout
