"""Arguments that many classes share: explained once, shown whole in every docstring that names them."""
import re

PLACEHOLDER = re.compile(r"^( *)\{(\w+(?:, \w+)*)\}$", re.MULTILINE)


def explain_shared_arguments(explanations, objects):
    """In each docstring, replace a line ``{name, name}`` by ``name: explanation`` for each of the names.

    >>> def scaled(factor): "{factor}"
    >>> explain_shared_arguments({"factor": "what to multiply by"}, [scaled])
    >>> scaled.__doc__
    'factor: what to multiply by'
    """
    def explained(match):
        indent, names = match.groups()
        entries = [f"{name}: {explanations[name]}" for name in names.split(", ")]
        return "\n".join(indent + line for entry in entries for line in entry.split("\n"))

    for each in objects:
        if each.__doc__ is not None:        # as it is under python -OO
            each.__doc__ = PLACEHOLDER.sub(explained, each.__doc__)
