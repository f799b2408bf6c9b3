"""What a slot of a plan holds, and the codes that stand where a rule asks for something that is not in a slot."""

INPUT, INPUT_META, OUTPUT, OUTPUT_META, RESIDUAL, OPTION = range(6)

#: The gradient, the namespace, which inputs want a gradient; from FIRST_G downwards the gradients of named outputs.
G, XP, WANTED, FIRST_G = -1, -2, -3, -10
