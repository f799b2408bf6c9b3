"""What a picture knows of a graph: nodes, edges, modules, storages, cuts, and where gradients stop being finite."""
import random

import pytest

import leafward as lw
from leafward.trust.pictures.lanes import lanes_of
from leafward.trust.pictures.paths import MOST_ROWS, Fold, folds
from tests.pictures.programs import LONG, NAN, NETWORK, picture, run


@pytest.fixture(scope="module")
def network():
    return picture(run(NETWORK))


def node_called(drawn, name):
    found, = [node for node in drawn.data["nodes"] if node["name"] == name]
    return found


def test_nodes_stand_in_the_order_of_backward(network):
    ran = []
    variables = run(NETWORK.replace("seen.mul_(0.5)", "pass"))
    drawn = picture(variables)
    for node in drawn.nodes:
        node.register_hook(lambda *_, node=node: ran.append(node))
    variables["loss"].backward()
    assert ran == drawn.nodes
    assert [node["op"] for node in network.data["nodes"]][:3] == ["mean", "square", "linear"]


def test_edges_are_those_of_the_graph(network):
    drawn = {(row, below) for row, below, *_ in network.data["edges"]}
    there = {(row, network.row_of[target]) for row, node in enumerate(network.nodes)
             for target, _ in node.next_functions if target in network.row_of}
    assert drawn == there and all(row < below for row, below in drawn)


def test_a_node_knows_its_line_its_name_and_what_it_keeps(network):
    gate = node_called(network, "gate")
    place = network.data["places"][gate["place"]]
    assert (place["where"], place["in"]) == ("train.py:22", "in Net.forward()")
    text = dict(network.data["files"][0]["lines"])[22]
    assert text[slice(*place["columns"])] == "torch.sigmoid(h)"
    assert gate["op"] == "sigmoid" and gate["type"] == "f32[4, 8]" and gate["bytes"] == 4 * 8 * 4
    assert [(value["what"], value["state"]) for value in gate["saved"]] == [("its output", "stale")]


def test_writes_and_saves_of_a_storage_stand_in_order(network):
    storage = network.data["storages"][node_called(network, "gate")["saved"][0]["storage"]]
    assert storage["name"] == "gate" and storage["hazard"]
    assert [(event["kind"], event.get("late", False)) for event in storage["events"]] == [
        ("save", False), ("write", True), ("save", False)]
    assert storage["events"][1]["through"] == "detach train.py:23"
    assert sum(s["hazard"] for s in network.data["storages"]) == network.data["counts"]["hazards"] == 1
    assert "`gate` was overwritten" in network.data["story"]


def test_a_cut_says_what_it_hides(network):
    cut, = network.data["cuts"]
    assert cut["hidden"] and sorted(cut["hidden"]) == ["net.side.bias", "net.side.weight"] and cut["reached"] == []
    assert cut["repairs"][0][1] == "extra = self.side(x)"
    adding = [node for node in network.data["nodes"] if node["cuts"]]
    assert [node["op"] for node in adding] == ["add"]


def test_what_a_cut_leaves_reachable_is_told_apart():
    variables = run("""
        import leafward as torch
        w = torch.tensor([1.0, -2.0], requires_grad=True)
        loss = (w * (w > 0).float()).sum()
        """)
    cut, = picture(variables).data["cuts"]
    assert cut["hidden"] == [] and cut["reached"] == ["w"]


def test_nodes_belong_to_the_modules_of_the_parameters_around_them(network):
    paths = {(node["op"], tuple(node["path"])) for node in network.data["nodes"]}
    assert ("relu", ("net", "blocks", "0")) in paths and ("relu", ("net", "blocks", "1")) in paths
    assert ("sigmoid", ("net",)) in paths and ("mean", ()) in paths
    net = next(part for part in network.data["folds"] if isinstance(part, dict))
    assert net["label"] == "net" and net["class"] == "Net"
    blocks = next(part for part in net["parts"] if isinstance(part, dict))
    assert [part["class"] for part in blocks["parts"] if isinstance(part, dict)] == ["Block", "Block"]


def test_gradients_that_are_not_finite_are_marked_on_their_way():
    variables = run(NAN)
    drawn = picture(variables)
    bad = [node["op"] for node in drawn.data["nodes"] if node["not finite"]]
    assert bad == ["sqrt", "mul"] and drawn.data["counts"]["not finite"] == 2
    row = {node["op"]: row for row, node in reversed(list(enumerate(drawn.data["nodes"])))}
    assert [edge[:2] for edge in drawn.data["edges"] if edge[3]] == [[row["sqrt"], row["sqrt"] + 1]]
    assert drawn.data["story"].startswith("a gradient became nan in backward") and variables["x"].grad is None


def test_a_picture_changes_nothing():
    variables = run(NETWORK.replace("seen.mul_(0.5)", "pass"))
    before = lw.autograd.grad(variables["loss"], list(variables["net"].head.parameters()), retain_graph=True)
    versions = [p._version for p in variables["net"].parameters()]
    drawn = picture(variables)
    assert all(p.grad is None for p in variables["net"].parameters())
    assert all(node._hooks is None or not node._hooks.post for node in drawn.nodes)
    assert versions == [p._version for p in variables["net"].parameters()]
    after = lw.autograd.grad(variables["loss"], list(variables["net"].head.parameters()))
    assert all(bool((a == b).all()) for a, b in zip(before, after, strict=True))


def test_a_freed_graph_says_so():
    variables = run(NAN)
    with pytest.warns(lw.NonFiniteGradientWarning):
        variables["loss"].backward()
    drawn = picture(variables)
    assert drawn.data["counts"]["freed"] > 0 and drawn.data["counts"]["values"] == 0


def test_what_has_no_graph_is_refused():
    with pytest.raises(lw.NoHistoryError):
        lw.save_page(lw.ones(2), "never.html")
    with pytest.raises(TypeError, match="expected a tensor"):
        lw.save_page([1.0], "never.html")


def test_custom_functions_and_leafless_memory_are_in_it():
    variables = run("""
        import leafward as torch
        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.note = x * 3
                ctx.save_for_backward(x)
                return x * 2
            @staticmethod
            def backward(ctx, g):
                return g * 2
        x = torch.ones(4, requires_grad=True)
        loss = Twice.apply(x).sum()
        """)
    node = picture(variables).data["nodes"][1]
    assert node["op"] == "Twice" and [value["what"] for value in node["saved"]] == ["its input x", "ctx.note"]
    assert node["bytes"] == 16                      # x is a leaf: in memory anyway


def layouts():
    random.seed(1)
    for size in (1, 2, 5, 30, 200):
        for width in (1, 2, 4):
            yield [sorted({random.randint(row + 1, min(size - 1, row + 1 + random.choice((1, 3, 40)))) for _ in range(width)})
                   if row + 1 < size else [] for row in range(size)]


@pytest.mark.parametrize("targets", list(layouts()), ids=lambda targets: f"{len(targets)} rows, {sum(map(len, targets))} edges")
def test_no_edge_passes_through_a_strange_node(targets):
    own, edges, count = lanes_of(targets)
    assert set(edges) == {(row, below) for row, others in enumerate(targets) for below in others}
    assert all(0 <= lane < count for lane in [*own, *edges.values()])
    for (row, below), lane in edges.items():
        for other in range(row + 1, below):
            assert own[other] != lane
        for (a, b), lane2 in edges.items():         # two edges side by side in one lane lead to one node
            if lane == lane2 and b != below and (a, b) != (row, below):
                assert max(row, a) >= min(below, b)


def inside(part):
    return [row for inner in part.inside for row in inside(inner)] if isinstance(part, Fold) else [part]


def test_folds_hold_every_row_once_and_in_order():
    random.seed(2)
    paths = []
    for _ in range(40):
        paths += [tuple(random.choice("ab") for _ in range(random.randint(0, 3)))] * random.randint(1, 60)
    tree = folds(paths)
    assert [row for part in tree for row in inside(part)] == list(range(len(paths)))

    def look(parts):
        assert len(parts) <= 2 * MOST_ROWS
        for part in parts:
            if isinstance(part, Fold):
                rows = inside(part)
                assert rows == list(range(part.first, part.last + 1)) and len(rows) > 1
                assert all(paths[row][:len(part.path)] == part.path for row in rows)
                look(part.inside)
    look(tree)


def test_long_loops_are_folded():
    drawn = picture(run(LONG))
    assert len(drawn.nodes) == 5001 and len(drawn.data["folds"]) <= 2 * MOST_ROWS


SEQUENCES = """
import leafward as torch
from leafward import nn
inner = nn.Sequential(nn.Linear(8, 8), nn.Sigmoid(), nn.Linear(8, 8))
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 8), nn.ReLU6(), nn.Linear(8, 8), nn.LeakyReLU(),
                    inner, nn.Tanh(), nn.Linear(8, 1))
{mode}
loss = net(torch.ones(2, 4)).sum()
"""
PARTS = ["1: ReLU", "2: Dropout", "4: ReLU6", "6: LeakyReLU", "1: Sigmoid", "8: Tanh"]


@pytest.mark.parametrize("mode", ["net.train()", "net.eval()"])
def test_in_a_sequence_modules_without_parameters_are_told_apart(mode):
    nodes = picture(run(SEQUENCES.format(mode=mode))).data["nodes"]
    assert [node["part"] for node in reversed(nodes) if node["part"]] == [
        part for part in PARTS if "Dropout" not in part or "train" in mode]
    paths = {node["part"]: node["path"][1:] for node in nodes}
    assert paths["1: Sigmoid"] == ["7", "1"] and paths["8: Tanh"] == ["8"]


def test_what_a_part_computes_besides_is_not_taken_for_the_next():
    drawn = picture(run("""
        import leafward as torch
        from leafward import nn
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(4, 4)
            def forward(self, x):
                return self.fc(x).relu()
        net = nn.Sequential(Block(), nn.ReLU(), nn.Linear(4, 4))
        loss = net(torch.ones(2, 4)).sum()
        """))
    assert [node["part"] for node in drawn.data["nodes"] if node["part"]] == []
