"""The drawing of a graph, and what it keeps by line."""
import gc
import re
import xml.etree.ElementTree as ElementTree

import pytest

import leafward as lw
from leafward.trust.pictures.drawing import Drawing, size
from tests.pictures.programs import HOSTILE, LONG, NETWORK, picture, run

SVG = "{http://www.w3.org/2000/svg}"


def texts(tree):
    return ["".join(text.itertext()) for text in tree.iter(f"{SVG}text")]


def test_a_drawing_says_what_the_graph_is():
    drawn = Drawing(picture(run(NETWORK)))
    tree = ElementTree.fromstring(drawn.svg)
    shown = "\n".join(texts(tree))
    for words in ("sigmoid gate overwritten", "head.weight, head.bias", "train.py:22  gate = torch.sigmoid(h)",
                  "net.blocks.1  Block", "add cut"):
        assert words in shown
    assert repr(drawn) == f"<Drawing of {drawn.nodes} nodes>" and drawn.svg in drawn._repr_html_()


def test_no_two_texts_overlap():
    tree = ElementTree.fromstring(Drawing(picture(run(NETWORK))).svg)
    lines = {}
    for text in tree.iter(f"{SVG}text"):
        start, width = float(text.get("x")), 7.3 * len("".join(text.itertext()))
        lines.setdefault(text.get("y"), []).append((start, start + width))
    assert len(lines) > 10
    for spans in lines.values():
        spans.sort()
        assert all(a[1] <= b[0] for a, b in zip(spans, spans[1:], strict=False))
        assert spans[-1][1] <= float(tree.get("width"))


def test_a_hostile_name_stays_text():
    variables = run(HOSTILE)
    drawn = Drawing(picture({**variables, "a<b>\x00&": variables["y"]}))
    tree = ElementTree.fromstring(drawn.svg)
    assert {element.tag.removeprefix(SVG) for element in tree.iter()} == {
        "svg", "title", "style", "rect", "path", "text", "tspan"}


def test_many_nodes_are_folded():
    drawn = Drawing(picture(run(LONG)))
    assert drawn.nodes == 5001 and len(texts(ElementTree.fromstring(drawn.svg))) < 500


def test_a_drawing_is_saved(tmp_path):
    w = lw.tensor([1.0], requires_grad=True)
    drawn = lw.graph((w * 2).exp())
    drawn.save(tmp_path / "g.svg")
    assert (tmp_path / "g.svg").read_text(encoding="utf-8") == drawn.svg
    assert repr(lw.graph([w.exp(), w.sin()])) == "<Drawing of 2 nodes>"


@pytest.mark.parametrize(("count", "text"), [
    (0, "0 B"), (999, "999 B"), (1000, "1.0 KB"), (150_000, "146 KB"), (2 << 20, "2.0 MB"), (3 << 40, "3072 GB")])
def test_sizes_read_well(count, text):
    assert size(count) == text


def test_memory_is_told_by_line_largest_first():
    variables = run("""
        import leafward as torch
        w = torch.ones(100, requires_grad=True)
        h = torch.exp(w)
        z = torch.cat([h, h, h]).sigmoid()
        again = h * 2 + h.sin()
        loss = z.sum() + again.sum()
        """)
    report = lw.memory_report(variables["loss"])
    assert [(row.bytes, row.values, row.ops) for row in report.rows] == [
        (1200, 1, ("sigmoid",)), (400, 1, ("exp",)), (0, 1, ("sin",))]
    assert report.total == 1600 and report.rows[0].place.where() == "train.py:4"
    assert re.match(r"kept for backward: 1\.6 KB in 3 values, by \d nodes\n +1\.2 KB +z = torch\.cat", str(report))
    assert "<td" in report._repr_html_() and "train.py:4" in report._repr_html_()


def test_parameters_are_told_apart():
    layer = lw.nn.Linear(10, 10)
    report = lw.memory_report(layer(lw.ones(2, 10, requires_grad=True)).sum())
    assert report.total == 0 and report.parameters == 10 * 10 * 4 + 2 * 10 * 4
    assert "of parameters, which are in memory anyway" in str(report)


def test_a_view_keeps_the_whole():
    big = lw.ones(1000, 10)
    w = lw.ones(10, requires_grad=True)
    assert lw.memory_report((w * big[3]).sum()).total == 1000 * 10 * 4


def test_without_tensors_it_is_all_that_lives():
    gc.collect()
    before = lw.memory_report().total
    kept = [(lw.ones(250, requires_grad=True) * 1).exp() for _ in range(3)]
    assert lw.memory_report().total - before == 3000
    kept[0].sum().backward()
    assert lw.memory_report().total - before == 2000
    del kept
    gc.collect()
    assert lw.memory_report().total == before


def test_others_are_refused():
    with pytest.raises(TypeError, match="memory_report\\(\\): expected tensors, got int"):
        lw.memory_report(3)
