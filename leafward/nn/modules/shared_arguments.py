"""What the arguments mean that many layers share: filled into their docstrings where these say ``{name}``."""
from leafward.utils.docstrings import explain_shared_arguments

SHARED = {
    # any layer with parameters
    "device": "where the parameters are made; None: on the default device",
    "dtype": "dtype of the parameters; None: the default dtype",
    "bias": "whether to add a trained ``bias``; without, it is None",
    "inplace": "whether to overwrite the input instead of returning a new tensor",
    # windows
    "in_channels": "channels of the input, a multiple of ``groups``",
    "out_channels": "channels of the output, a multiple of ``groups``",
    "kernel_size": "extent of the window, a number or one per dimension",
    "stride": "step from one window to the next, a number or one per dimension",
    "padding": ('elements added to both sides of the input, a number or one per dimension; "valid": none;\n'
                '    "same": as many as keep the size, for stride 1 only'),
    "dilation": "distance between neighbouring elements of a window, a number or one per dimension; 1: no gaps",
    "groups": ("channels are split into that many groups, each convolved by itself; 1: all inputs reach all outputs;\n"
               "    ``in_channels``: every channel has kernels of its own (depthwise)"),
    "padding_mode": 'what the padding holds: "zeros", "reflect", "replicate" or "circular"',
    "output_padding": ("added to one side of the output's size, less than stride or dilation: inputs of several sizes\n"
                       "    are convolved to one size, and this chooses among them"),
    "return_indices": "whether to return ``(output, indices)``, the places of the maxima, as MaxUnpool takes them",
    "ceil_mode": "whether the output size is rounded up, so that a last window may reach beyond the input",
    "count_include_pad": "whether padding counts among the elements of the mean",
    "divisor_override": "what to divide the sum by; None: the number of elements",
    # normalizations
    "num_features": "channels, ``c``",
    "eps": "added to the variance, so that nothing is divided by zero",
    "momentum": ("weight of the new batch in ``running = (1 - momentum) * running + momentum * batch``;\n"
                 "    None: the plain average of all batches"),
    "affine": "whether to multiply by a trained ``weight`` (at first 1) and add a trained ``bias`` (at first 0)",
    "track_running_stats": ("whether to keep running statistics while training, for use in evaluation;\n"
                            "    without, those of the input are used always"),
    # losses
    "reduction": '"mean" of all elements, their "sum", or "none": unreduced',
    "size_average": 'older spelling: False is ``reduction="sum"``; None: ``reduction`` says it',
    "reduce": 'older spelling: False is ``reduction="none"``; None: ``reduction`` says it',
    "ignore_index": "a target that counts neither in the loss nor in its mean",
    # sequences
    "input_size": "features of each step of the input",
    "hidden_size": "features of the hidden state",
    "num_layers": "layers, each of which reads the outputs of the one below",
    "batch_first": "whether input and output are (n, time, features) rather than (time, n, features); states are not",
    "dropout": "probability of dropping an output of each layer but the last, while training",
    "bidirectional": "whether other weights read each sequence backward as well; the outputs of both are joined",
    "proj_size": "size to which an LSTM projects h, less than ``hidden_size``; 0: no projection",
    "d_model": "features of each position, ``e``",
    "nhead": "heads of the attention, a divisor of ``d_model``",
    "dim_feedforward": "width of the network after the attention",
    "activation": 'activation of that network: "relu", "gelu" or a function of a tensor',
    "layer_norm_eps": "``eps`` of the layer norms",
    "norm_first": "whether norms stand before attention and network (pre-norm) rather than after each sum",
    # tables
    "num_embeddings": "rows of the table",
    "embedding_dim": "length of a row",
    "padding_idx": "row that gets no gradient and begins as zeros; in a bag it isn't counted; None: no such row",
    "max_norm": "rows that are looked up and longer are first shortened to this norm, in place; None: none are",
    "norm_type": "p of that norm",
    "scale_grad_by_freq": "whether a row's gradient is divided by how often the batch holds it",
    "sparse": "whether the gradient of the table is a sparse tensor of the rows that were used: see :class:`SparseAdam`",
}

#: Where an argument means something else, by the file of the class.
SHARED_IN = {
    "pooling": {
        "stride": "step from one window to the next, a number or one per dimension; None: the kernel size",
        "padding": ("elements added to both sides of the input, at most half the kernel: minus infinity for maxima,\n"
                    "    zeros for means"),
    },
    "padding": {
        "padding": ("elements added, one number for all sides, or one per side from the last dimension on:\n"
                    "    (left, right, top, bottom, front, back). Where the mode allows it, negative ones take away"),
    },
    "transformer": {
        "dropout": "probability of the dropouts after attention, activation and network, while training",
        "batch_first": "whether inputs and output are (n, time, features) rather than (time, n, features)",
        "bias": "whether linear layers and norms have biases",
    },
}


def explain_arguments(layers):
    for layer in layers:
        file = layer.__module__.rpartition(".")[2]
        explain_shared_arguments(SHARED | SHARED_IN.get(file, {}), [layer])
