"""``leafward page`` and ``leafward check --html``."""
import json
import re
import subprocess
import sys
import textwrap

import pytest

PROGRAM = """
    import sys
    import torch
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    for _ in range(3):
        loss = (torch.sqrt(x * 2) * torch.tensor([0.0, 1.0])).sum()
        loss.backward()
    other = (x ** 2).sum()
    other.backward()
    sys.exit(int(sys.argv[1]))
    """


@pytest.fixture
def leafward(tmp_path):
    (tmp_path / "train.py").write_text(textwrap.dedent(PROGRAM).lstrip())
    (tmp_path / "plain.py").write_text("print('nothing to differentiate')\n")

    def run(*arguments):
        return subprocess.run([sys.executable, "-m", "leafward", *arguments], cwd=tmp_path, capture_output=True, text=True)
    return run


def data_of(path):
    return json.loads(re.search(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)[1])


def test_a_page_of_the_first_backward_from_each_line(leafward, tmp_path):
    done = leafward("page", "train.py", "0")
    assert done.returncode == 0 and done.stdout == f"leafward page: {tmp_path / 'train.html'}\n", done.stderr
    graphs = data_of(tmp_path / "train.html")["graphs"]
    assert [(graph["title"], graph["asked"]) for graph in graphs] == [("loss", "train.py:6"), ("other", "train.py:8")]
    assert [node["op"] for node in graphs[0]["nodes"] if node["not finite"]] == ["sqrt", "mul"]
    assert graphs[0]["counts"]["not finite"] == 2 and all(node["hooks"] == 0 for node in graphs[0]["nodes"])


def test_its_exit_code_is_the_programs(leafward, tmp_path):
    assert leafward("page", "-o", "other.html", "train.py", "3").returncode == 3
    assert (tmp_path / "other.html").exists() and not (tmp_path / "train.html").exists()


def test_without_backward_there_is_nothing_to_draw(leafward, tmp_path):
    done = leafward("page", "plain.py")
    assert done.returncode == 1 and "no backward() ran" in done.stderr and not (tmp_path / "plain.html").exists()
    assert leafward("page").returncode == 2 and leafward("page", "--help").returncode == 0


def test_check_writes_findings_and_graphs(leafward, tmp_path):
    done = leafward("check", "--html", "found.html", "--json", "found.json", "train.py", "0")
    assert done.returncode == 1, done.stderr
    found, listed = data_of(tmp_path / "found.html"), json.loads((tmp_path / "found.json").read_text())
    assert [graph["title"] for graph in found["graphs"]] == ["loss", "other"]
    assert found["findings"] and [text.split("\n")[0] for text in found["findings"]] == [one["title"] for one in listed]


def test_check_of_a_program_without_backward_still_writes(leafward, tmp_path):
    assert leafward("check", "--html", "found.html", "plain.py").returncode == 0
    assert data_of(tmp_path / "found.html") == {"graphs": [], "findings": []}
