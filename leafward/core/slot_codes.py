"""What a slot of a plan holds, and the codes that stand where a rule asks for something that is not in a slot."""

INPUT, INPUT_META, OUTPUT, OUTPUT_META, RESIDUAL, OPTION = range(6)

#: The gradient, the namespace, which inputs want a gradient; from ASK_OUTPUT_GRAD downwards the gradients of named outputs.
ASK_GRAD, ASK_NAMESPACE, ASK_WANTED, ASK_OUTPUT_GRAD = -1, -2, -3, -10
