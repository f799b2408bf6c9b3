"""``record`` writes what PyTorch's launchers read, and changes nothing else."""
import importlib
import json

import pytest

from tests.oracle import torch

NAME = "distributed.elastic.multiprocessing.errors"


def recorded(library, path, monkeypatch):
    """What a recorded error leaves."""
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(path))

    @importlib.import_module(f"{library}.{NAME}").record
    def main(wrong):
        if wrong:
            raise ValueError(wrong)
        return 3
    assert main("") == 3 and not path.exists() and main.__name__ == "main"
    with pytest.raises(ValueError, match="boom"):
        main("boom")
    return json.loads(path.read_text())


@pytest.mark.filterwarnings("ignore")               # PyTorch's logging
def test_an_error_is_written_as_pytorch_does(tmp_path, monkeypatch):
    ours = recorded("leafward", tmp_path / "of" / "ours", monkeypatch)
    theirs = recorded(torch.__name__, tmp_path / "theirs", monkeypatch)
    assert ours["message"]["message"] == theirs["message"]["message"] == "ValueError: boom"
    assert set(ours["message"]["extraInfo"]) == set(theirs["message"]["extraInfo"])
    assert ours["message"]["extraInfo"]["py_callstack"].rstrip().endswith("ValueError: boom")


def test_handlers_and_ends():
    record, told = importlib.import_module(f"leafward.{NAME}").record, []

    class Handler:
        def initialize(self):
            told.append("begin")

        def record_exception(self, error):
            told.append(str(error))

    def ends(status):
        raise SystemExit(status)
    with pytest.raises(ZeroDivisionError):
        record(lambda: 1 / 0, Handler())()
    assert told == ["begin", "division by zero"]
    assert record(ends)(0) is None
    with pytest.raises(SystemExit):
        record(ends)(3)
