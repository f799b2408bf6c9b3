"""A collection of metrics over three batches, and one of each kind besides."""
import torch
from torchmetrics import MeanMetric, MetricCollection, MetricTracker
from torchmetrics.classification import (
    MulticlassAccuracy, MulticlassAUROC, MulticlassCalibrationError, MulticlassConfusionMatrix, MulticlassF1Score,
)
from torchmetrics.image import StructuralSimilarityIndexMeasure
from torchmetrics.regression import MeanSquaredError, PearsonCorrCoef, R2Score, SpearmanCorrCoef
from torchmetrics.text import BLEUScore, Perplexity


def main():
    torch.manual_seed(0)
    classes = MetricCollection([MulticlassAccuracy(4), MulticlassF1Score(4), MulticlassAUROC(4), MulticlassConfusionMatrix(4),
                                MulticlassCalibrationError(4)])
    numbers = MetricCollection([MeanSquaredError(), PearsonCorrCoef(), R2Score(), SpearmanCorrCoef()])
    tracked = MetricTracker(MeanMetric(), maximize=False)
    for _ in range(3):
        classes.update(torch.randn(20, 4).softmax(1), torch.randint(4, (20,)))
        x = torch.randn(20)
        numbers.update(x, x + 0.3 * torch.randn(20))
        tracked.increment()
        tracked.update(x)
    images = torch.rand(2, 1, 24, 24)
    turned = 0.8 * images + 0.2 * images.flip(-1)
    return {**{name: value.tolist() for name, value in {**classes.compute(), **numbers.compute()}.items()},
            "best": float(tracked.best_metric()), "similar": StructuralSimilarityIndexMeasure()(images, turned).item(),
            "perplexity": Perplexity()(torch.randn(2, 5, 7), torch.randint(7, (2, 5))).item(),
            "bleu": BLEUScore(n_gram=2)(["the cat sat on a mat"], [["the cat is on the mat"]]).item()}
