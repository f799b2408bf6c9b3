"""The user's variables, looked at while a story is told, so that it can use their names. Nothing is kept."""
import ast
import sys
from types import ModuleType

from leafward.core import provenance
from leafward.core.tensor import TensorBase
from leafward.trust.source import source_lines, tree_of

MISSING = object()


class Scene:
    """The user's frames: those of a traceback, innermost first, and the ones that called them."""

    def __init__(self, traceback=None):
        frame = sys._getframe() if traceback is None else traceback.tb_frame.f_back
        self.frames = []
        while traceback is not None:
            self.see(0, traceback.tb_frame)
            traceback = traceback.tb_next
        while frame is not None:
            self.see(len(self.frames), frame)
            frame = frame.f_back

    def see(self, position, frame):
        """Look at a frame, if it is the user's. One of leafward's would hold this scene, and live on with all that it names."""
        if not is_hidden(frame.f_code):
            self.frames.insert(position, frame)

    def value(self, place, name):
        """What ``name`` means at ``place`` now; ``MISSING`` if that cannot be seen."""
        for frame in self.frames:
            if frame.f_code is place.code and name in frame.f_locals:
                return frame.f_locals[name]
        for frame in self.frames:
            if frame.f_code.co_filename == place.file and name in frame.f_globals:
                return frame.f_globals[name]
        for module in list(sys.modules.values()):
            if getattr(module, "__file__", None) == place.file:
                return vars(module).get(name, MISSING)
        return MISSING

    def is_module(self, place, name):
        """Whether ``name`` means a Python module at ``place``."""
        value = self.value(place, name)
        return isinstance(value, ModuleType) if value is not MISSING else name in ("torch", "lw", "leafward", "F")

    def may_be_tensor(self, place, name):
        value = self.value(place, name)
        return value is MISSING or isinstance(value, TensorBase)

    def variables(self):
        """All of the user's variables, as ``(name, value)``."""
        seen = set()
        for frame in self.frames:
            for namespace in (frame.f_locals, frame.f_globals):
                for name, value in list(namespace.items()):
                    if id(value) not in seen:
                        seen.add(id(value))
                        yield name, value

    def is_namespace(self, value):
        """Whether a dict is the variables of a frame."""
        return any(value is frame.f_globals for frame in self.frames)

    def named(self):
        """The user's variables, and the attributes of their own objects among them: ``trainer.model``."""
        seen = []
        for name, value in self.variables():
            seen.append((name, value))
            yield name, value
        known = {id(value) for _, value in seen}
        for name, value in seen:
            for member, held in attributes_of(value).items():
                if id(held) not in known:
                    known.add(id(held))
                    yield f"{name}.{member}", held

    def networks(self):
        """The user's variables that hold parameters and buffers by name: ``(variable, {kind: [(path, tensor)]})``."""
        for name, value in self.named():
            if hasattr(type(value), "named_parameters") and hasattr(type(value), "named_buffers"):
                try:
                    members = {"parameter": list(value.named_parameters()), "buffer": list(value.named_buffers())}
                except Exception:       # noqa: BLE001, S112  a half-built network, say: it lends no names
                    continue
                yield name, members

    def member_on(self, storage):
        """``("parameter", "net.0.weight")`` or ``("buffer", "bn.running_mean")`` for a storage; else None."""
        for variable, members in self.networks():
            for kind, named in members.items():
                for path, tensor in named:
                    if isinstance(tensor, TensorBase) and tensor._storage is storage:
                        return kind, f"{variable}.{path}"
        return None

    def network_of(self, optimizer):
        """The name of the variable whose parameters are the ones that ``optimizer`` updates; else None."""
        ours = {id(p) for group in optimizer.param_groups for p in group["params"]}
        for variable, members in self.networks():
            if {id(p) for _, p in members["parameter"]} == ours:
                return variable
        return None


def attributes_of(value):
    """The attributes of an object of a class of the user's own that is no network, such as a trainer; of others none."""
    kind = type(value)
    if issubclass(kind, (type, ModuleType)) or hasattr(kind, "named_parameters") or str(kind.__module__).startswith("leafward"):
        return {}
    try:
        found = object.__getattribute__(value, "__dict__")      # (as it is: a proxy would answer with something else's)
    except AttributeError:
        return {}
    return dict(found) if type(found) is dict else {}


def library(where=None):
    """What the user's program calls leafward: by its imports in the file of ``where``, or else among its variables."""
    ours, frame = sys.modules["leafward"], nearest_frame()
    file = where.file if where is not None else "" if frame is None else frame.f_code.co_filename
    names = ("leafward", "torch") if sys.modules.get("torch") is ours else ("leafward",)
    for node in ast.walk(tree_of("".join(source_lines(file)))):
        for alias in node.names if isinstance(node, ast.Import) else ():
            if alias.name in names or alias.asname is None and alias.name.partition(".")[0] in names:
                return alias.asname or alias.name.partition(".")[0]
    variables = [vars(sys.modules["__main__"])] if "__main__" in sys.modules else []      # (a notebook's other cells)
    while frame is not None:
        if frame.f_code.co_filename == file:
            variables.insert(0, frame.f_globals)
        frame = frame.f_back
    found = (name for namespace in variables for name, value in list(namespace.items()) if value is ours)
    return next(found, "torch" if "torch" in names else "lw")


def is_hidden(code):
    entry = provenance.known.get(id(code))
    return provenance.is_hidden(code) if entry is None else entry[1]


def nearest_frame():
    """The user's frame that is running now."""
    frame = sys._getframe()
    while frame is not None and is_hidden(frame.f_code):
        frame = frame.f_back
    return frame
