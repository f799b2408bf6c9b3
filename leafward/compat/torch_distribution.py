"""What ``importlib.metadata.version("torch")`` reads while leafward runs as torch: libraries ask there for the version."""
from importlib.metadata import Distribution
from pathlib import Path

import leafward
from leafward.compat.torch_version import __version__


class TorchDistribution(Distribution):
    """The metadata of a package that is not installed."""

    def read_text(self, filename):
        """The file of that name: there is one."""
        return f"Metadata-Version: 2.1\nName: torch\nVersion: {__version__}\n" if filename == "METADATA" else None

    def locate_file(self, path):
        """Where a file of the package would be."""
        return Path(leafward.__file__).parent / path
