"""How large an environment is that has leafward, one library, and what that library requires; and that its programs run in it.

``python -m tests.libraries.sizes WHEEL FOLDER [LIBRARY...]`` makes each environment anew in ``FOLDER``, of the wheel of
leafward and of packages as pip installs them with ``--no-compile``, runs the library's programs there, and prints a line for
each: megabytes (10**6 bytes) of files in ``site-packages``, as installed and without what no program loads. pip itself stays
outside: it is this Python's, which needs one that knows ``--python`` (22.3 or newer).
"""
import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from shutil import rmtree, which

from tests.libraries.run import EXPECTED, HERE, differences

#: A library's programs, and what they use beside it.
PROGRAMS = {
    "transformers": (["transformers_models", "transformers_files", "transformers_trainer", "transformers_pipeline"],
                     ["accelerate", "jinja2"]),
    "accelerate": (["accelerate_loop"], []),
    "peft": (["peft_lora"], ["jinja2"]),
    "datasets": (["datasets_torch"], []),
    "timm": (["timm_models"], ["torchvision"]),
    "torchvision": (["torchvision_images"], []),
    "torchmetrics": (["torchmetrics_scores"], []),
    "pytorch-lightning": (["lightning_fit"], []),
    "skorch": (["skorch_sklearn"], []),
    "gpytorch": (["gpytorch_regression"], []),
    "pyro-ppl": (["pyro_inference"], ["typing_extensions"]),
    "sentence-transformers": (["sentence_transformers_encode"], []),
}
#: Versions of what a library requires that take less than the newest, and that it is content with.
PINNED = {"sentence-transformers": ["transformers==5.0.0", "huggingface-hub==1.3.0", "typer==0.9.4"]}
#: What no program loads: packages' own tests, what fetches files from a hub or from S3, what a compiler or an editor reads.
IDLE = ["*/tests", "*/*/tests", "*/*/*/tests", "hf_xet*", "pyarrow/include", "pyarrow/*flight*", "pyarrow/libarrow_s3*",
        "pyarrow/_s3fs*", *(f"**/*.{kind}" for kind in ("a", "c", "cpp", "h", "pxd", "pyi", "pyx", "tp"))]


def size(folder):
    """Megabytes of the files in a folder; a link is no file."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


def pip(folder, *arguments):
    """Ask pip, this Python's, to work on an environment."""
    subprocess.run([sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "--disable-pip-version-check",
                    "--quiet", *arguments], check=True)


def make(folder, wheel, packages):
    """An environment with leafward in PyTorch's place and these packages; its ``site-packages``."""
    venv.create(folder, clear=True, symlinks=True)
    pip(folder, "install", "--no-compile", wheel)
    subprocess.run([folder / "bin" / "leafward", "provide-torch"], check=True, stdout=subprocess.DEVNULL, env=bare())
    pip(folder, "install", "--no-compile", *packages)
    pip(folder, "check")
    packages, = folder.glob("lib/python*/site-packages")
    return packages


def bare():
    """No bytecode is written, nothing is fetched, and no checkout is in the way."""
    return {**{name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")},
            "PYTHONDONTWRITEBYTECODE": "1", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}


def verify(folder, programs):
    """Run programs in an environment: PyTorch's numbers, or an end."""
    recorded = json.loads(EXPECTED.read_text())
    for name in programs:
        done = subprocess.run([folder / "bin" / "python", HERE / "run.py", name], capture_output=True, text=True, cwd=HERE,
                              env=bare())
        if done.returncode:
            sys.exit(f"{name}: {done.stderr[-2000:]}")
        if found := differences(json.loads(done.stdout)[name], recorded[name]):
            sys.exit(f"{name}: {found[:5]}")


def slim(packages):
    """Take away what no program loads, and the symbols that only a debugger reads (of libraries that a wheel brings
    along, which were moved when it was made, none can be taken)."""
    for pattern in IDLE:
        for path in sorted(packages.glob(pattern)):
            rmtree(path) if path.is_dir() else path.unlink()
    libraries = [path for path in packages.rglob("*.so*") if not (path.is_symlink() or path.parent.suffix == ".libs")]
    if which("strip"):
        subprocess.run(["strip", "--strip-unneeded", *libraries], check=True, capture_output=True)


def main(wheel, folder, *libraries):
    """Print each library's two sizes."""
    pins = dict(line.split("==") for line in (HERE / "requirements.txt").read_text().split())
    for library in libraries or PROGRAMS:
        programs, beside = PROGRAMS[library]
        environment = Path(folder) / library
        packages = make(environment, wheel, [f"{name}=={pins[name]}" for name in (library, *beside)] + PINNED.get(library, []))
        installed = size(packages)
        verify(environment, programs)
        slim(packages)
        verify(environment, programs)
        print(f"{library}: {installed:.0f} MB as installed, {size(packages):.0f} MB without what no program loads", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
