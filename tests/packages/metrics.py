"""A program for PyTorch's torchmetrics: every regression and classification metric, with its options, on some batches.

``python metrics.py values.pickle`` writes a dict: the metric's name -> the calls made and what each gave.
"""
import inspect
import pickle
import sys
import typing
import warnings
import zlib

import numpy as np
import torch
import torchmetrics
from torchmetrics import classification, regression
from torchmetrics.functional import classification as classification_functions, regression as regression_functions

warnings.simplefilter("ignore")
BATCHES, ROWS = 3, 24
#: Values for the parameters without a default.
NEEDED = {"num_classes": [3, 5], "num_labels": [3], "num_groups": [2], "beta": [0.5, 2.0], "threshold": [0.5], "p": [3.0],
          "min_recall": [0.5], "min_precision": [0.5], "min_specificity": [0.5], "min_sensitivity": [0.5]}
#: Values tried besides the default, one option at a time.
TRIED = {
    "average": ["micro", "macro", "weighted", "none"], "thresholds": [5, [0.1, 0.5, 0.9]], "top_k": [2],
    "ignore_index": [0, -1],
    "normalize": ["true", "pred", "all"], "norm": ["l2", "max"], "squared": [True, False], "zero_division": [1.0],
    "multiclass_mode": ["one-vs-all"], "weights": ["linear", "quadratic"], "multidim_average": ["samplewise"],
    "max_fpr": [0.5], "fpr_range": [(0.1, 0.6)], "threshold": [0.3], "n_bins": [4],
    "multioutput": ["raw_values", "variance_weighted"], "reduction": ["mean", "sum", "none"], "log_prob": [True],
    "variant": ["a", "c"], "t_test": [True], "alternative": ["less", "greater"], "adjusted": [2], "power": [1.0, 1.5, 2.0, 3.0],
    "normalization": ["range", "std", "l2"], "num_outputs": [2], "keep_sequence_dim": [0], "p": [1.0],
}


def options_of(signature):
    """Choices of keyword arguments: what is needed, and on top of it each option alone."""
    parameters = list(signature.parameters.values())
    required = [p.name for p in parameters[1:] if p.name in NEEDED
                and (p.default is p.empty or p.name in ("num_classes", "num_labels"))]
    base = {name: NEEDED[name][0] for name in required}
    yield base
    for name in required:
        for value in NEEDED[name][1:]:
            yield {**base, name: value}
    if "task" in signature.parameters:         # it passes the rest on to the metric of the task, which is tried itself
        return
    for p in parameters:
        for value in TRIED.get(p.name, ()):
            if value != p.default and p.name not in required:
                yield {**base, p.name: value}
                if p.name == "average" and "ignore_index" in signature.parameters:
                    yield {**base, p.name: value, "ignore_index": 1}


def inputs_of(name, task, options, rng):
    """Pairs of predictions and targets by what they are: a few tasks take more than one form."""
    n, classes, labels = ROWS, options.get("num_classes", 3), options.get("num_labels", 3)
    logits = {"binary": (n,), "multiclass": (n, classes), "multilabel": (n, labels)}

    def floats(*shape):
        return rng.normal(size=shape).astype("float32")
    if task == "regression":
        outputs = options.get("num_outputs", 1)
        shape = (n,) if outputs == 1 else (n, outputs)
        if name in ("KLDivergence", "kl_divergence", "JensenShannonDivergence", "jensen_shannon_divergence"):
            pair = [np.abs(floats(n, 4)) + 0.1 for _ in "pq"]
            pair = [x / x.sum(1, keepdims=True) for x in pair]
            yield [np.log(x) for x in pair] if options.get("log_prob") else pair
        elif name in ("CosineSimilarity", "cosine_similarity"):
            yield [floats(n, 4), floats(n, 4)]
        elif name in ("ContinuousRankedProbabilityScore", "continuous_ranked_probability_score"):
            yield [floats(n, 6), floats(n)]
        else:
            x, y = np.abs(floats(*shape)) + 0.1, np.abs(floats(*shape)) + 0.1
            yield [x, y]
            yield [x.astype("float64"), y.astype("float64")]
            yield [np.round(x, 1), np.round(y, 1)]             # with ties
            if options.get("multioutput"):
                yield [np.abs(floats(n, 3)), np.abs(floats(n, 3))]
        return
    wide = (4,) if task != "binary" or "multidim_average" in options else ()
    target = {"binary": lambda *s: rng.integers(0, 2, (n, *s)), "multiclass": lambda *s: rng.integers(0, classes, (n, *s)),
              "multilabel": lambda *s: rng.integers(0, 2, (n, labels, *s))}[task]
    plain = floats(*logits[task])
    scores = 1 / (1 + np.exp(-plain)) if task != "multiclass" else np.exp(plain) / np.exp(plain).sum(1, keepdims=True)
    many = floats(*logits[task], *wide)
    if options.get("multidim_average") != "samplewise":
        yield [scores, target()]
        yield [plain, target()]
        yield [np.round(scores, 1), target()]                  # with ties
        yield [target(), target()]
    if wide:
        yield [many, target(*wide)]


def told(value):
    """A result as plain data: dtypes and values of tensors, in tuples and dicts."""
    if isinstance(value, torch.Tensor):
        return str(value.dtype), value.detach().numpy()
    if isinstance(value, dict):
        return {key: told(x) for key, x in value.items()}
    return [told(x) for x in value] if isinstance(value, (list, tuple)) else value


def attempt(call):
    """What ``call`` gives, or the type and the first line of what it raises."""
    try:
        return told(call())
    except Exception as error:
        return type(error).__name__, str(error).split("\n")[0]


def life(make, batches, whole):
    """A metric's values of single batches and of all; if ``whole``, also through updates, reset, its state and copies."""
    metric = make()
    yield [told(metric(*batch)) for batch in batches]
    yield told(metric.compute())
    if not whole:
        return
    again = make()
    for batch in batches:
        again.update(*batch)
    metric.reset()
    metric.update(*batches[0])
    yield told(again.compute()), told(metric.compute()), repr(metric)
    again.load_state_dict(metric.state_dict())
    yield told(pickle.loads(pickle.dumps(again)).compute()), told(metric.clone().compute())


def tasks_of(name, choices):
    if choices is None:
        return ["regression"]
    lowered = name.lower()
    named = [task for task in ("binary", "multiclass", "multilabel") if lowered.startswith(task)]
    return named or [task for task in choices if task in ("binary", "multiclass", "multilabel")] or ["binary"]


def outcomes(value, options, batches, whole):
    """What one metric, a class or a function, makes of the batches."""
    if inspect.isclass(value):
        return attempt(lambda: list(life(lambda: value(**options), batches, whole)))
    return [attempt(lambda batch=batch: value(*batch, **options)) for batch in batches]


def run(name, value, is_regression):
    """Every call of one metric, with its outcome."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    made = (value.__new__ if "__new__" in vars(value) else value.__init__) if inspect.isclass(value) else value
    signature = inspect.signature(made)
    has_task = "task" in signature.parameters and "airness" not in name
    choices = typing.get_args(signature.parameters["task"].annotation) if has_task else ()
    for task in tasks_of(name, None if is_regression else choices):
        for options in options_of(signature):
            options |= {"task": task} if has_task else {}
            kinds = zip(*[list(inputs_of(name, task, options, rng)) for _ in range(BATCHES)])
            for number, batches in enumerate(kinds):
                batches = [[torch.from_numpy(np.asarray(x)) for x in batch] for batch in batches]
                if {"fairness", "group", "parity", "opportunity"} & set(split_words(name)):
                    batches = [[*batch, torch.from_numpy(rng.integers(0, 2, batch[0].shape))] for batch in batches]
                if name == "demographic_parity":
                    batches = [[predicted, groups] for predicted, _, groups in batches]
                yield f"{task} {options} {number}", outcomes(value, options, batches, number == 0)


def split_words(name):
    return "".join("_" + c.lower() if c.isupper() else c for c in name).replace("groups", "group").split("_")


def together():
    """Metrics made of metrics, and running values."""
    rng = np.random.default_rng(0)
    batches = [[torch.from_numpy(rng.normal(size=(ROWS, 3)).astype("float32")), torch.from_numpy(rng.integers(0, 3, ROWS))]
               for _ in range(BATCHES)]
    made = {
        "MetricCollection": lambda: torchmetrics.MetricCollection(
            [classification.MulticlassPrecision(3), classification.MulticlassRecall(3), classification.MulticlassAUROC(3)],
            prefix="val_"),
        "ClasswiseWrapper": lambda: torchmetrics.ClasswiseWrapper(classification.MulticlassAccuracy(3, average=None)),
        "MinMaxMetric": lambda: torchmetrics.MinMaxMetric(classification.MulticlassAccuracy(3)),
        "sum": lambda: classification.MulticlassAccuracy(3) + 2 * classification.MulticlassF1Score(3),
        "set_dtype": lambda: classification.MulticlassHingeLoss(3).set_dtype(torch.float64),
        **{name: lambda name=name: getattr(torchmetrics, name)() for name in (
            "MeanMetric", "SumMetric", "MaxMetric", "MinMetric", "CatMetric")},
    }
    for name, make in made.items():
        given = [batch[:1] if name.endswith("Metric") and name != "MinMaxMetric" else batch for batch in batches]
        metric = make()
        yield name, attempt(lambda metric=metric, given=given: [metric(*batch) for batch in given] + [metric.compute()])


def main(path):
    found = {"together": list(together())}
    for module in (regression, regression_functions, classification, classification_functions):
        for name in dict.fromkeys(module.__all__):
            found[name] = list(run(name, getattr(module, name), "regression" in module.__name__))
    with open(path, "wb") as file:
        pickle.dump(found, file)


if __name__ == "__main__":
    main(sys.argv[1])
