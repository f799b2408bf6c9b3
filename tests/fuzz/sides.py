"""One library's side of a program: its lines run, and what they make."""
import functools
import warnings


@functools.lru_cache(4000)
def compiled(line):
    return compile(line, "<program>", "exec")


class Side(dict):
    """The globals of one side's lines. What begins with ``v`` and a digit is a variable."""

    def __init__(self, t):
        super().__init__({"t": t, "inf": float("inf"), "nan": float("nan")})

    def variables(self):
        return {name: value for name, value in self.items() if name[0] == "v" and name[1:].isdigit()}

    def run(self, line):
        """What the line raises, if it does."""
        try:
            exec(compiled(line), self)      # noqa: S102  our own text
        except Exception as error:          # noqa: BLE001  whatever it raises is compared
            return error
        return None


def replay(lines, t):
    side = Side(t)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for line in lines:
            side.run(line)
    return side
