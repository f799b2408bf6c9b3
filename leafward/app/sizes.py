"""A loss of predictions and targets of different shapes, which PyTorch only warns of: as a finding with its repair."""
import ast
import re
import warnings
from math import prod

from leafward.app.finding import Finding
from leafward.trust.layout import Row, fixes, list_of
from leafward.trust.met import squeezed_in
from leafward.trust.scene import Scene
from leafward.trust.source import place

#: The shapes in the warning, the target's first.
SIZES = re.compile(r"target size \(torch\.Size\(\[([\d, ]*)\]\)\).*input size \(torch\.Size\(\[([\d, ]*)\]\)\)")


def finding_of_sizes(message):
    """The finding on a warning of a loss; the one who calls it is in the frames still."""
    target, given = ([int(n) for n in text.split(",") if n.strip()] for text in SIZES.search(message).groups())
    where = place(who_was_warned())
    whole = pairs(given, target)
    title = f"a loss compares predictions of shape {given} with targets of shape {target}: " + (
        f"{prod(whole)} pairs, not {prod(given)}." if prod(given) == prod(target) else "each is repeated for the other.")
    rows = [Row("compared in", where, f"gives {whole}: values meet that do not belong together")]
    return Finding(title, f"{list_of(rows)}\n{fixes(repair(where, given, target))}")


def who_was_warned():
    """The site of the user's line while a warning is shown: below the frames of Python's own module."""
    frame = next((frame for frame in Scene().frames if frame.f_code.co_filename != warnings.__file__), None)
    return None if frame is None else (frame.f_code, frame.f_lasti)


def pairs(given, target):
    """The shape that both are broadcast to."""
    longest = max(len(given), len(target))
    return [max(n, m) if 0 not in (n, m) else 0 for n, m in zip(
        [1] * (longest - len(given)) + given, [1] * (longest - len(target)) + target, strict=True)]


def repair(where, given, target):
    """The choices that make both of one shape; in words where the call does not show them, or they are of other sizes."""
    call = None if where is None else where.expression
    same = [n for n in given if n != 1] == [n for n in target if n != 1]
    taken = call.args[:2] if isinstance(call, ast.Call) else []
    if not same or len(taken) != 2 or any(isinstance(part, ast.Starred) for part in taken):
        return [("" if where is None else where.where(), "give both the same shape", "one prediction for each target")]
    wider, other, wide, narrow = (*taken, given, target) if len(given) > len(target) else (*taken[::-1], target, given)
    anew = squeezed_in(where, wider, other, tuple(wide), tuple(narrow))
    return [(*where.with_replaced(*anew), "one is then meant for each")]
