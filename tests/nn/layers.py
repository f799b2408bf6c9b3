"""Every layer, with inputs for it: the table that the tests of layers run over."""
import numpy as np

#: Layer -> its inputs: a shape each, with a prefix where not any float will do.
LAYERS = {
    "Identity(1, a=2)": "2 3",
    "Linear(3, 4)": "2 3", "Linear(3, 4, bias=False)": "3", "Linear(3, 2, dtype=t.float64)": "double: 2 5 3",
    "Linear(3, 0)": "2 3",
    "Bilinear(2, 3, 4)": "5 2 | 5 3", "Bilinear(2, 3, 1, bias=False)": "5 2 | 5 3",
    "Conv1d(2, 4, 3)": "2 2 7", "Conv1d(2, 4, 3, stride=2, padding=1, dilation=2)": "2 2 9",
    "Conv2d(2, 4, 3)": "2 2 5 6", "Conv2d(2, 4, (3, 2), stride=(2, 1), padding=1, bias=False)": "2 2 5 6",
    "Conv2d(2, 4, 3, groups=2, padding='same')": "2 2 5 6", "Conv2d(2, 4, 3, padding='valid')": "2 5 6",
    "Conv2d(2, 4, 3, padding=1, padding_mode='reflect')": "2 2 5 6",
    "Conv2d(2, 4, 3, padding=(1, 2), padding_mode='circular')": "2 2 5 6",
    "Conv2d(2, 4, (2, 3), padding='same', padding_mode='replicate')": "2 2 5 6",
    "Conv3d(2, 3, 2, padding=1)": "1 2 3 4 3",
    "ConvTranspose1d(2, 4, 3, stride=2, dilation=2)": "2 2 5",
    "ConvTranspose2d(2, 4, 3, stride=2, padding=1, output_padding=1)": "2 2 4 3",
    "ConvTranspose2d(4, 2, 3, groups=2, bias=False)": "2 4 4 3",
    "ConvTranspose3d(2, 2, 2)": "1 2 2 3 2",
    "BatchNorm1d(3)": "4 3", "BatchNorm1d(3, affine=False)": "4 3 5", "BatchNorm2d(3, momentum=None)": "2 3 4 2",
    "BatchNorm2d(3, track_running_stats=False)": "2 3 4 2", "BatchNorm2d(3, bias=False, eps=1e-3)": "2 3 4 2",
    "BatchNorm3d(2, momentum=0.3)": "2 2 2 3 2",
    "InstanceNorm1d(3)": "2 3 5", "InstanceNorm1d(3, affine=True)": "3 5",
    "InstanceNorm2d(3, affine=True, track_running_stats=True)": "2 3 4 2", "InstanceNorm3d(2)": "2 2 2 3 2",
    "LayerNorm(4)": "3 4", "LayerNorm((3, 4), elementwise_affine=False)": "2 3 4", "LayerNorm([4], bias=False)": "3 4",
    "GroupNorm(2, 4)": "3 4 5", "GroupNorm(2, 4, affine=False)": "3 4 2 2", "GroupNorm(1, 4, bias=False)": "3 4",
    "RMSNorm(4)": "3 4", "RMSNorm((3, 4), eps=1e-3)": "2 3 4", "RMSNorm(4, elementwise_affine=False)": "3 4",
    "LocalResponseNorm(2)": "2 4 3", "LocalResponseNorm(3, alpha=0.1, k=2.0)": "2 5 3 2",
    "MaxPool1d(2)": "2 3 6", "MaxPool1d(3, 2, 1, ceil_mode=True)": "2 3 6",
    "MaxPool2d((2, 3), stride=2)": "2 3 6 7", "MaxPool2d(3, 1, 1, 2)": "2 3 6 7", "MaxPool3d(2)": "1 2 4 4 4",
    "AvgPool1d(2)": "2 3 6", "AvgPool2d(2, 1, (1, 0))": "2 3 6 7", "AvgPool2d(3, padding=1, count_include_pad=False)":
    "2 3 6 7", "AvgPool2d(2, divisor_override=3)": "2 3 6 7", "AvgPool3d(2)": "1 2 4 4 4",
    "LPPool1d(2, 3)": "pos: 2 3 7", "LPPool2d(3, (2, 3), 2)": "pos: 2 3 6 7", "LPPool3d(2, 2)": "pos: 1 2 4 4 4",
    "AdaptiveAvgPool1d(3)": "2 3 7", "AdaptiveAvgPool2d((None, 3))": "2 3 6 7", "AdaptiveAvgPool3d(2)": "1 2 4 5 4",
    "AdaptiveMaxPool1d(3)": "2 3 7", "AdaptiveMaxPool2d(3)": "2 3 6 7", "AdaptiveMaxPool3d(2)": "1 2 4 5 4",
    "Flatten()": "2 3 4", "Flatten(0, 1)": "2 3 4", "Unflatten(1, (2, 3))": "4 6", "Unflatten(-1, [2, 1])": "4 2",
    "Embedding(5, 3)": "int5: 2 4", "Embedding(5, 3, padding_idx=-1)": "int5: 6",
    "Embedding(5, 3, max_norm=1.0, norm_type=3.0)": "int5: 6", "Embedding(5, 3, scale_grad_by_freq=True)": "int5: 9",
    "EmbeddingBag(5, 3)": "int5: 2 4", "EmbeddingBag(5, 3, mode='sum', padding_idx=1)": "int5: 2 4",
    "ReLU()": "3 4", "ReLU6()": "wide: 3 4", "LeakyReLU(0.2)": "3 4", "PReLU()": "3 4", "PReLU(3)": "2 3 4",
    "ELU()": "3 4", "ELU(2.0)": "3 4", "CELU(2.0)": "3 4", "SELU()": "3 4", "GELU()": "3 4", "GELU('tanh')": "3 4",
    "SiLU()": "3 4", "Mish()": "3 4", "Sigmoid()": "3 4", "Tanh()": "3 4", "LogSigmoid()": "3 4", "Softsign()": "3 4",
    "Tanhshrink()": "3 4", "Softplus()": "3 4", "Softplus(2, 0.5)": "3 4", "Softshrink()": "3 4",
    "Hardshrink(0.3)": "3 4", "Hardtanh()": "wide: 3 4", "Hardtanh(-2, 3)": "wide: 3 4", "Hardswish()": "wide: 3 4",
    "Hardsigmoid()": "wide: 3 4", "Threshold(0.1, 20)": "3 4", "GLU()": "3 4", "GLU(0)": "4 3",
    "Softmax(1)": "3 4", "Softmin(dim=-1)": "3 4", "LogSoftmax(0)": "3 4", "Softmax2d()": "2 3 2 2",
    "ConstantPad1d(2, 3.5)": "2 3 4", "ConstantPad2d((1, 2, 0, 1), 0)": "2 3 4", "ConstantPad3d(1, 2)": "1 2 3 2",
    "ZeroPad1d(2)": "2 3", "ZeroPad2d((1, -1, 0, 1))": "2 3 4 4", "ZeroPad3d(1)": "1 2 2 2",
    "ReflectionPad1d(2)": "2 3 4", "ReflectionPad2d((1, 2, 0, 1))": "2 3 4 4", "ReflectionPad3d(1)": "1 1 2 3 2",
    "ReplicationPad1d((1, 2))": "2 3 4", "ReplicationPad2d(1)": "2 3 4 4", "ReplicationPad3d(1)": "1 1 2 3 2",
    "CircularPad1d((1, 2))": "2 3 4", "CircularPad2d(1)": "2 3 4 4", "CircularPad3d(1)": "1 1 2 3 2",
    "PixelShuffle(2)": "2 8 3 2", "PixelUnshuffle(2)": "2 3 4 6", "ChannelShuffle(2)": "2 6 3",
    "Upsample(7)": "2 3 4", "Upsample(scale_factor=2)": "2 3 4 2",
    "Upsample(scale_factor=(2, 3), mode='bilinear', align_corners=True)": "2 3 4 2",
    "UpsamplingNearest2d(5)": "2 3 4 2", "UpsamplingBilinear2d(scale_factor=2)": "2 3 4 2",
    "CosineSimilarity()": "3 4 | 3 4", "CosineSimilarity(-1, 1e-3)": "3 4 | 3 4",
    "PairwiseDistance()": "3 4 | 3 4", "PairwiseDistance(1, keepdim=True)": "3 4 | 3 4",
    "Unfold((2, 3), padding=1)": "2 3 4 5", "Fold((4, 5), 2)": "2 12 12",
    "MSELoss()": "3 4 | 3 4", "MSELoss(reduction='sum')": "3 4 | 3 4", "L1Loss(reduction='none')": "3 4 | 3 4",
    "SmoothL1Loss(beta=0.5)": "3 4 | 3 4", "HuberLoss(delta=0.5)": "3 4 | 3 4",
    "NLLLoss()": "3 4 | int4: 3", "NLLLoss(weight=t.ones(4) * 2, ignore_index=1)": "5 4 2 | int4: 5 2",
    "CrossEntropyLoss()": "3 4 | int4: 3", "CrossEntropyLoss(label_smoothing=0.1)": "3 4 | 3 4",
    "CrossEntropyLoss(weight=t.ones(4) * 2, reduction='sum', ignore_index=2)": "5 4 2 | int4: 5 2",
    "BCELoss()": "unit: 3 4 | unit: 3 4", "BCELoss(weight=t.ones(4) * 2)": "unit: 3 4 | unit: 3 4",
    "BCEWithLogitsLoss()": "3 4 | unit: 3 4", "BCEWithLogitsLoss(pos_weight=t.ones(4) * 2)": "3 4 | unit: 3 4",
    "KLDivLoss(reduction='batchmean')": "3 4 | unit: 3 4", "KLDivLoss(reduction='sum', log_target=True)": "3 4 | 3 4",
    "PoissonNLLLoss()": "3 4 | pos: 3 4", "PoissonNLLLoss(log_input=False, full=True)": "pos: 3 4 | pos: 3 4",
    "GaussianNLLLoss()": "3 4 | 3 4 | pos: 3 4", "GaussianNLLLoss(full=True)": "3 4 | 3 4 | pos: 3 1",
    "HingeEmbeddingLoss()": "3 4 | sign: 3 4", "HingeEmbeddingLoss(margin=0.3)": "3 4 | sign: 3 4",
    "SoftMarginLoss()": "3 4 | sign: 3 4", "MultiLabelMarginLoss()": "3 4 | int4: 3 4",
    "MultiLabelSoftMarginLoss()": "3 4 | unit: 3 4", "MultiMarginLoss()": "3 4 | int4: 3",
    "MultiMarginLoss(p=2, margin=0.5)": "3 4 | int4: 3",
    "CosineEmbeddingLoss(margin=0.1)": "3 4 | 3 4 | sign: 3", "MarginRankingLoss(margin=0.1)": "3 | 3 | sign: 3",
    "TripletMarginLoss()": "3 4 | 3 4 | 3 4", "TripletMarginLoss(margin=0.5, p=1, swap=True)": "3 4 | 3 4 | 3 4",
    "TripletMarginWithDistanceLoss()": "3 4 | 3 4 | 3 4",
}

#: Layers that draw random numbers in ``forward``: the same seed must give the same values.
RANDOM = {
    "Dropout(0.2)": "3 4", "Dropout(0.0)": "3 4", "Dropout(1.0)": "3 4", "Dropout1d(0.5)": "2 3 4",
    "Dropout2d(0.5)": "2 3 4 2", "Dropout3d(0.5)": "2 3 2 2 2", "AlphaDropout(0.3)": "3 4",
    "FeatureAlphaDropout(0.5)": "2 3 4", "RReLU()": "3 4", "RReLU(0.1, 0.9)": "3 4",
}

#: Printed only: their forward is tested elsewhere, or another option decides it.
PRINTED = [
    "ReLU(inplace=True)", "LeakyReLU(0.2, True)", "ELU(inplace=True)", "SELU(True)", "SiLU(True)", "Mish(True)",
    "ReLU6(True)", "Hardtanh(-2, 3, True)", "Threshold(1, 2, True)", "RReLU(inplace=True)", "Hardswish(True)",
    "Softmax()", "Dropout(0.2, True)", "MaxUnpool1d(2)", "MaxUnpool2d(2)", "MaxUnpool3d(2, 1)",
    "AdaptiveMaxPool3d(3, True)", "Embedding(3, 4, 1, 2, 3, True)", "EmbeddingBag(3, 4, 1.0, 1.0)", "CTCLoss()",
    "Sequential()", "ModuleList([])", "ModuleDict()",
    "Sequential(t.nn.Linear(2, 3), t.nn.Sequential(t.nn.ReLU(), t.nn.Tanh()))",
    "ModuleList([t.nn.ReLU(), t.nn.ReLU(), t.nn.Sequential(t.nn.Tanh()), t.nn.Sequential(t.nn.Tanh())])",
    "ModuleDict({'a': t.nn.ReLU(), 'b': t.nn.ModuleList([t.nn.Linear(1, 1)])})",
    "ParameterList([t.ones(2), t.ones(3, 4), 5])", "ParameterDict({'b': t.ones(2), 'a': t.ones(3, 4), 'c': 5})",
]

#: Wrong options: each must raise what PyTorch raises.
REFUSED = [
    "Bilinear(0, 1, 1)", "Conv2d(2, 4, 3, padding='same', stride=2)", "Conv2d(2, 4, 3, groups=3)",
    "Conv2d(2, 3, 3, groups=2)", "Conv2d(2, 4, 3, groups=0)", "ConvTranspose2d(2, 4, 3, padding_mode='reflect')",
    "GroupNorm(2, 3)", "Dropout(1.5)", "Unflatten(1, 3)", "Unflatten(1, (2, 'a'))", "Embedding(3, 4, 5)",
    "Embedding(3, 4, -4)", "Embedding(3, 4, _weight=t.ones(2, 2))", "EmbeddingBag(3, 4, padding_idx=7)",
    "Embedding.from_pretrained(t.ones(2))", "Hardtanh(3, 2)", "TripletMarginLoss(margin=-1)",
    "TripletMarginWithDistanceLoss(margin=-1)", "MultiMarginLoss(p=3)", "MultiMarginLoss(weight=t.ones(2, 2))",
    "Module(1)", "Module(x=1)", "ReLU()(1, 2)", "Sequential(3)", "Module()(1)",
    "BatchNorm1d(3)(t.ones(2, 3, 4, 5))", "BatchNorm2d(3)(t.ones(2, 3))", "BatchNorm3d(3)(t.ones(2, 3))",
    "BatchNorm1d(3)(t.ones(1, 3))", "InstanceNorm1d(3)(t.ones(3))", "InstanceNorm2d(3)(t.ones(2, 3))",
    "InstanceNorm1d(3, affine=True)(t.ones(2, 4, 4))", "CircularPad2d(1)(t.ones(2))", "Softmax2d()(t.ones(2))",
    "ConvTranspose2d(1, 1, 3, stride=2)(t.ones(1, 1, 3, 3), output_size=(5,))",
    "ConvTranspose2d(1, 1, 3, stride=2)(t.ones(1, 1, 3, 3), output_size=(50, 3))",
]


def make(t, expression):
    """The layer (or whatever the expression makes) in the namespace ``t``."""
    return eval(f"t.nn.{expression}", {"t": t})  # noqa: S307  (the table's own text)


def arrays(text):
    """NumPy arrays for ``"2 3 | int4: 2"``: normal floats, or what the prefix says."""
    random = np.random.default_rng(7)
    drawn = []
    for part in text.split("|"):
        kind, _, shape = part.rpartition(":")
        kind, shape = kind.strip(), tuple(map(int, shape.split()))
        x = random.standard_normal(shape)
        if kind.startswith("int"):
            drawn.append(random.integers(0, int(kind[3:]), shape))
        elif kind == "double":
            drawn.append(x)
        else:
            shaped = {"": x, "wide": 4 * x, "pos": np.abs(x) + 0.1, "unit": random.uniform(0.05, 0.95, shape),
                      "sign": np.sign(x)}[kind]
            drawn.append(shaped.astype("float32"))
    return drawn


def tensors(t, text):
    """The inputs of a layer in the namespace ``t``; floats require grad, but for signs, which are targets."""
    made = [t.from_numpy(a.copy()) for a in arrays(text)]
    return [m.requires_grad_(m.dtype.is_floating_point and "sign" not in part)
            for m, part in zip(made, text.split("|"), strict=True)]


def seeded(t, expression, seed=0):
    """The layer as it comes out of the generator at ``seed``."""
    t.manual_seed(seed)
    return make(t, expression)
