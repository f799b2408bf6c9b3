"""Networks as estimators of scikit-learn: a pipeline, cross validation, a search, callbacks, a pickle."""
import pickle

import torch
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetClassifier, NeuralNetRegressor
from skorch.callbacks import EarlyStopping, EpochScoring, LRScheduler
from torch import nn


class Net(nn.Module):
    def __init__(self, width=10):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, 2), nn.Softmax(-1))

    def forward(self, x):
        return self.layers(x)


def main():
    x, y = make_classification(200, 8, n_informative=5, random_state=0)
    x, y = x.astype("float32"), y.astype("int64")
    torch.manual_seed(0)
    net = NeuralNetClassifier(
        Net, max_epochs=8, lr=0.1, verbose=0, optimizer=torch.optim.Adam, optimizer__lr=0.02,
        callbacks=[EpochScoring("roc_auc", lower_is_better=False), EarlyStopping(patience=5),
                   LRScheduler(torch.optim.lr_scheduler.StepLR, step_size=3)])
    model = make_pipeline(StandardScaler(), net).fit(x, y)
    found = {"losses": net.history[:, "train_loss"], "scores": net.history[:, "roc_auc"], "score": model.score(x, y),
             "probabilities": model.predict_proba(x[:3]).tolist()}
    again = pickle.loads(pickle.dumps(model))
    found["same"] = bool((again.predict_proba(x) == model.predict_proba(x)).all())
    torch.manual_seed(1)
    simple = NeuralNetClassifier(Net, max_epochs=3, lr=0.1, verbose=0, train_split=None)
    found["cross"] = cross_val_score(simple, x, y, cv=3).tolist()
    search = GridSearchCV(simple, {"module__width": [4, 12], "lr": [0.05, 0.2]}, cv=2, refit=False).fit(x, y)
    found["search"] = search.cv_results_["mean_test_score"].tolist()
    regressor = NeuralNetRegressor(nn.Linear(8, 1), max_epochs=5, lr=0.01, verbose=0)
    found["regression"] = regressor.fit(x, x[:, :1] * 2).history[:, "valid_loss"]
    return found
