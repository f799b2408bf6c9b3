"""``LightningModule`` and ``Trainer``: fit with validation, callbacks, a checkpoint; test and predict from it."""
import logging
import tempfile

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import EarlyStopping, LearningRateMonitor, ModelCheckpoint
from pytorch_lightning.loggers import CSVLogger
from torch import nn
from torchmetrics.classification import MulticlassAccuracy


class Classifier(pl.LightningModule):
    def __init__(self, width=16, rate=0.05):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(4, width), nn.Tanh(), nn.Dropout(0.1), nn.Linear(width, 3))
        self.accuracy = MulticlassAccuracy(3)

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, index):
        loss = nn.functional.cross_entropy(self(batch[0]), batch[1])
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, index):
        out = self(batch[0])
        self.accuracy(out, batch[1])
        self.log_dict({"validation": nn.functional.cross_entropy(out, batch[1]), "accuracy": self.accuracy})

    test_step = validation_step

    def predict_step(self, batch, index):
        return self(batch[0]).argmax(1)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), self.hparams.rate, momentum=0.9)
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)}


def main():
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    pl.seed_everything(0, verbose=False)
    x = torch.randn(120, 4)
    data = torch.utils.data.TensorDataset(x, (x[:, 0] > 0).long() + (x[:, 1] > 0).long())
    train, rest = torch.utils.data.random_split(data, [80, 40])
    loaders = [torch.utils.data.DataLoader(part, batch_size=16, shuffle=part is train) for part in (train, rest)]
    with tempfile.TemporaryDirectory() as folder:
        keep = ModelCheckpoint(dirpath=folder, monitor="validation")
        trainer = pl.Trainer(
            max_epochs=5, accelerator="cpu", devices=1, enable_progress_bar=False, enable_model_summary=True,
            logger=CSVLogger(folder), gradient_clip_val=1.0, log_every_n_steps=1,
            callbacks=[keep, EarlyStopping("validation", patience=3), LearningRateMonitor()])
        trainer.fit(Classifier(), *loaders)
        best = Classifier.load_from_checkpoint(keep.best_model_path)
        found = {"best": keep.best_model_score.item(), "steps": trainer.global_step,
                 "metrics": {name: value.item() for name, value in trainer.callback_metrics.items()},
                 "test": trainer.test(best, loaders[1], verbose=False),
                 "predicted": torch.cat(trainer.predict(best, loaders[1])).tolist()}
    return found
