"""The files that TensorBoard's projector reads: points, their labels, and pictures of them."""
import os

from google.protobuf import text_format
from tensorboard.plugins.projector.projector_config_pb2 import EmbeddingInfo

from leafward.utils.tensorboard.pictures import png, sprite


def encoded(tag):
    """``tag`` as the name of a folder."""
    for sign in "%/\\":
        tag = tag.replace(sign, f"%{ord(sign):02x}")
    return tag


def write_rows(path, rows):
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines("\t".join(str(field) for field in row) + "\n" for row in rows)


def write_points(log_dir, points, labels, header, pictures, step, tag):
    """Write ``points`` (n, d) under ``log_dir``; what the projector's list says about them."""
    if points.dim() != 2:
        raise AssertionError("mat should be 2D, where mat.size(0) is the number of data points")
    if labels is not None and len(labels) != len(points):
        raise AssertionError("#labels should equal with #data points")
    if pictures is not None and len(pictures) != len(points):
        raise AssertionError("#images should equal with #data points")
    folder = f"{str(0 if step is None else step).zfill(5)}/{encoded(tag)}"
    os.makedirs(os.path.join(log_dir, folder), exist_ok=True)
    info = EmbeddingInfo(tensor_name=f"{tag}:{str(0 if step is None else step).zfill(5)}",
                         tensor_path=f"{folder}/tensors.tsv")
    if labels is not None:
        info.metadata_path = f"{folder}/metadata.tsv"
        rows = [[label] for label in labels] if not header else [header, *labels]
        write_rows(os.path.join(log_dir, info.metadata_path), rows)
    if pictures is not None:
        info.sprite.image_path = f"{folder}/sprite.png"
        info.sprite.single_image_dim.extend([pictures.shape[3], pictures.shape[2]])
        with open(os.path.join(log_dir, info.sprite.image_path), "wb") as file:
            file.write(png(sprite(pictures)))
    write_rows(os.path.join(log_dir, info.tensor_path), points.detach().tolist())
    return info


def write_list(log_dir, config):
    """``projector_config.pbtxt``: all that was written so far."""
    with open(os.path.join(log_dir, "projector_config.pbtxt"), "w", encoding="utf-8", newline="\n") as file:
        file.write(text_format.MessageToString(config))
