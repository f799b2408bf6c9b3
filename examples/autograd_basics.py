"""Gradients, and what detach() and .data do to them. An ordinary PyTorch program:

    leafward run examples/autograd_basics.py        or, with PyTorch: python examples/autograd_basics.py
"""
import torch

# A gradient: x records what is done to it, and backward() walks the record from the result to the leaf.
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = (x ** 2).sum()
y.backward()
print("d sum(x^2) / dx      ", x.grad.tolist())

# A gradient of a gradient: the first one is recorded too.
slope, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
bend, = torch.autograd.grad(slope.sum(), x)
print("d^2 sum(x^3) / dx^2  ", bend.tolist())

# detach() leaves the history behind and keeps the memory: no gradient flows through it.
h = x.exp()
product = h.detach() * x
print("through detach()     ", product.requires_grad, torch.autograd.grad(product.sum(), x)[0].equal(h))

# So a write through it changes h, whose value the gradient of exp needs. That is noticed:
h = x.exp()
h.detach().zero_()
try:
    h.sum().backward()
except RuntimeError as error:
    print("write through detach()", str(error).splitlines()[0][:89] + "...")

# A copy is private.
h = x.exp()
copy = h.detach().clone()
copy.zero_()
x.grad = None
h.sum().backward()
print("write to a clone     ", [round(value, 3) for value in x.grad.tolist()])

# .data is detach() without the notice: the gradient becomes whatever the memory holds. leafward warns.
h = x.exp()
h.data.zero_()
x.grad = None
h.sum().backward()
print("write through .data  ", x.grad.tolist())

# To update a parameter, say that the step itself is not part of the record.
with torch.no_grad():
    x -= 0.1 * x.grad
print("still a leaf         ", x.is_leaf, x.requires_grad)
