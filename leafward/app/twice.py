"""Two optimizers that hold the same parameters: each makes a whole step with one and the same gradient."""
from leafward.app.held import plain
from leafward.trust.cuts import names_of
from leafward.trust.layout import Row
from leafward.trust.scene import Scene
from leafward.trust.source import key_of, place, stands_alone


def stepped_twice(watch, optimizer, site):
    """Note parameters that another optimizer has moved already with the gradients that this step has used."""
    moved, other, earlier = [], None, None
    for p in [p for group in optimizer.param_groups for p in group["params"] if p._grad is not None]:
        _, grad, values, step, stepper = watch.stepped.get(id(p), (None,) * 5)
        if grad is p._grad and stepper is not optimizer and bool(values.any()) and bool((plain(grad) == values).all()):
            moved, other, earlier = [*moved, p], stepper, step
    if not moved or None in (site, earlier) or key_of(site) == key_of(earlier) or is_part(other, optimizer):
        return
    first, second, made = place(earlier), place(site), place(optimizer.__dict__.get("_made_in"))
    alone = second.statement is not None and stands_alone(second, second.statement)
    choice = (f"remove {second.where()}", second.text, "if one step for each gradient was meant") if alone else (
        second.where(), "give each parameter to one optimizer", "")
    watch.find(("twice", key_of(site)), "two optimizers step with the same gradients: the parameters move twice", [
        Row("first", first, f"{type(other).__name__}.step() moves {names_of(moved, Scene())}"),
        Row("again", second, f"{type(optimizer).__name__}.step() moves them with the same .grad"),
        *([] if made is None else [Row("made in", made, "holds parameters that another optimizer has")])], [choice])


def is_part(one, other):
    """Whether one of two optimizers keeps the other: it steps by means of it."""
    return any(value is b for a, b in ((one, other), (other, one)) for value in vars(a).values())
