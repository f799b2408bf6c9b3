"""A graph of symbols as a loop in C, and what its caller has to know of it."""
import math
import re
from collections import Counter

from leafward import dtypes
from leafward.derive.kernels.symbols import BOUNDED, INFIX, LOGIC, SIZE, TOTALS, Node, Untranslatable

C_TYPES = {"element": "T", "wide": "double", "truth": "int", "flag": "int", "number": "double"}
#: Letters of operands: ``form`` in ``loops.h`` tells what they mean.
LETTERS = {"element": "T", "truth": "b"}
#: What the loop itself is made of, and what C keeps for itself: parameters of these names get a mark.
TAKEN = frozenset({"data", "count", "numbers", "at", "line", "sum", "far", "T", "F", "K", "double", "float", "int", "long",
                   "short", "char", "signed", "unsigned", "const", "static", "default", "switch", "case", "if", "else", "for",
                   "while", "do", "return"})


def c_name(name):
    return f"{name}_given" if name in TAKEN else name


class Writer:
    """Nodes as C text: what is used more than once gets a name, everything else stands where it is used."""

    def __init__(self, roots, is_whole=False):
        self.uses, self.known, self.lines = Counter(), {}, []
        self.is_whole = is_whole        # C computes short integers as int: each result is cut to its type
        self.nodes, pending = {}, list(roots)
        while pending:
            node = pending.pop()
            self.uses[node] += 1
            if node not in self.nodes:
                self.nodes[node] = len(self.nodes)
                pending += [a for a in node.args if isinstance(a, Node)]

    def text(self, node, wanted="T"):
        """The C expression of ``node`` as an element (T), a truth value (int) or a number (double)."""
        own = C_TYPES[node.kind]
        result = self.known.get(node) or self.expression(node)
        if node not in self.known and self.uses[node] > 1 and node.varies and node.args and node.name != "given":
            self.known[node] = f"t{len(self.lines)}"
            self.lines.append(f"const {own} {self.known[node]} = {bare(result)};")
            result = self.known[node]
        if wanted == own:
            return result
        return f"({result} != 0)" if wanted == "int" else f"({wanted}){result}"

    def expression(self, node):
        name, args = node.name, node.args
        if name == "given":
            return c_name(args[0])
        if name == "constant":
            return constant(node.value)
        if name in ("T_MAX", "T_MIN"):
            return name
        if name == "element":
            return self.text(args[0], C_TYPES[node.kind])
        kinds = {node.kind, *[a.kind for a in args]}
        side = "T" if "element" in kinds and "wide" not in kinds else "int" if kinds <= {"truth", "flag"} else "double"
        if name in INFIX:
            return self.cut(node, f"({self.text(args[0], side)} {INFIX[name]} {self.text(args[1], side)})")
        if name in LOGIC:
            bits = "T" if node.kind == "element" else "int"
            return self.cut(node, f"({self.text(args[0], bits)} {LOGIC[name]} {self.text(args[1], bits)})")
        if name == "invert":
            return f"((T)~{self.text(args[0])})" if node.kind == "element" else f"(!{self.text(args[0], 'int')})"
        if name == "neg":
            return self.cut(node, f"(-{self.text(args[0], side)})")
        if name == "where":
            return f"({self.text(args[0], 'int')} ? {self.text(args[1], side)} : {self.text(args[2], side)})"
        if side == "double" and name == "abs":
            return f"fabs({bare(self.text(args[0], 'double'))})"
        function = f"F({name})" if side == "T" else f"{name}_f64"
        return f"{function}({', '.join([bare(self.text(a, side)) for a in args])})"

    def cut(self, node, text):
        """``text`` as an element again, where it is one of integers."""
        return f"((T){text})" if self.is_whole and node.kind == "element" else text


def constant(value):
    """A Python number as C."""
    if isinstance(value, bool):
        return str(int(value))
    value = float(value)
    if value != value or abs(value) == math.inf:
        return "NAN" if value != value else "INFINITY" if value > 0 else "(-INFINITY)"
    return repr(value) if math.copysign(1, value) > 0 else f"({value!r})"


def bare(text):
    """Without the parentheses around the whole."""
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and position < len(text) - 1:
            return text
    return text[1:-1] if text.startswith("(") else text


class Loop:
    """The C text of one kernel for the parameters ``arrays`` and ``numbers``, in their order."""

    def __init__(self, run, results, arrays, numbers):
        roots = [run.node_of(result) for result in results]
        self.total = TOTALS.get(roots[0].name, "") if len(roots) == 1 else ""
        if self.total:
            roots = list(roots[0].args)
        self.is_sized, numbers = run.is_sized, [*numbers, SIZE] if run.is_sized else numbers
        writer = Writer([*roots, *[node for node, _ in run.guards]], run.is_whole)
        if any([node.name in TOTALS for node in writer.nodes]):
            raise Untranslatable("it goes on after adding up")
        self.computes = any([node.args and node.name not in ("given", "constant", "element") for node in Writer(roots).nodes])
        if run.dtype is dtypes.bool and any([node.kind == "element" for node in writer.nodes]):
            raise Untranslatable("it computes bools as numbers")
        # What only chooses among elements does so for any type of their size.
        self.moves = not numbers and not self.total and {node.name for node in writer.nodes} <= {"given", "where"}
        self.arrays, self.numbers = [node.args[0] for node in arrays], numbers
        self.inputs = "".join([LETTERS[node.kind] for node in arrays])
        self.outputs = "".join([LETTERS.get(node.kind, "T") for node in roots])
        self.functions = run.called | ({"power"} if run.has_power else set())
        texts = [bare(writer.text(node, "int" if node.kind == "truth" else "T")) for node in roots]
        declared = []
        for position, node in enumerate(arrays):
            declared.append(pointer(f"const {type_of(node)}", f"{c_name(node.args[0])}_", position))
        declared += [f"const double {c_name(name)} = numbers[{position}];" for position, name in enumerate(numbers)]
        for position, node in enumerate([] if self.total else roots):
            declared.append(pointer(type_of(node), f"out{position}_", len(arrays) + position))
        given = [f"const {C_TYPES[node.kind]} {c_name(node.args[0])} = {c_name(node.args[0])}_[at];" for node in arrays]
        inside = given + writer.lines
        if self.total:
            each = ["double sum = 0;", *braced("SUM_EACH(count)", [*inside, f"sum += {texts[0]};"])]
            lines = [*declared, *each, f"*(double *)data[{len(arrays)}] += sum;"]
        else:
            inside += [f"out{position}_[at] = {text};" for position, text in enumerate(texts)]
            pointers = [f"{c_name(node.args[0])}_" for node in arrays] + [f"out{position}_" for position in range(len(roots))]
            ahead = " ".join([f"AHEAD({name})" for name in pointers])
            lines = [*declared, *self.beyond(writer.nodes, given, inside), f"EACH(count, {ahead},", *indented(inside), ")"]
        self.body = "\n".join(["{", *indented(lines), "}"])
        self.as_numbers = ""
        if self.outputs == "b" and run.dtype is not dtypes.bool and not self.total:
            self.as_numbers = self.body.replace("uint8_t *out0_ = (uint8_t *)", "T *out0_ = (T *)")
        self.demand = self.demanding(run.demands, declared[:len(arrays) + len(numbers)], given) if run.demands else ""
        guards = [("" if answer else "!") + writer.text(node, "int") for node, answer in run.guards]
        self.guard = " && ".join(guards)

    def beyond(self, nodes, given, inside):
        """The way out where an argument of a function lies beyond the reach of its vector form."""
        questions = dict.fromkeys([Node(BOUNDED[node.name], node.args, "flag") for node in nodes if node.name in BOUNDED])
        if not questions:
            return []
        asking = Writer(questions)
        texts = [bare(asking.expression(node)) for node in questions]
        asked = [*given, *asking.lines, *[f"far |= {text};" for text in dict.fromkeys(texts)]]
        names = "|".join(sorted(BOUNDED))
        alone = [re.sub(rf"\b({names})_f64\(", r"any_\1_f64(", re.sub(rf"F\(({names})\)", r"F(any_\1)", line))
                 for line in inside]
        alone = braced("EACH_ALONE(count)", alone)
        return ["int far = 0;", *braced("ASK_EACH(count)", asked), *braced("if (far)", [*alone, "return;"])]

    def demanding(self, demands, declared, given):
        """A loop that counts the elements which do not answer as they have to."""
        asking = Writer(list(demands))
        texts = [("!" if answer else "") + asking.text(node, "int") for node, answer in demands.items()]
        each = braced("SUM_EACH(count)", [*given, *asking.lines, f"sum += {' | '.join(texts)};"])
        lines = [*declared, "double sum = 0;", *each, f"*(double *)data[{len(self.arrays)}] += sum;"]
        return "\n".join(["{", *indented(lines), "}"])

    def alone(self):
        """The text with its parameters numbered: paragraphs that say the same share a loop."""
        return numbered(self.body, [*self.arrays, *self.numbers])

    def guard_function(self):
        """The guard as a function of the numbers, under the name NAME."""
        given = [f"const double {c_name(name)} = numbers[{position}];" for position, name in enumerate(self.numbers)
                 if re.search(rf"\b{c_name(name)}\b", self.guard)]
        inside = indented([*given, f"return {self.guard};"])
        return "\n".join(["static int F(NAME)(const double *numbers)", "{", *inside, "}"])


def numbered(text, names):
    for position, name in enumerate(names):
        text = re.sub(rf"\b{c_name(name)}(_?)\b", rf"given{position}\1", text)
    return text


def type_of(node):
    return "uint8_t" if node.kind == "truth" else "T"


def pointer(c_type, name, position):
    return f"{c_type} *{name} = ({c_type} *)data[{position}];"


def indented(lines):
    return [f"    {line}" for line in lines]


def braced(head, lines):
    return [f"{head} {{", *indented(lines), "}"]
