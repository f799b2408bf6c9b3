import leafward as torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
out = x.sigmoid()
seen = out.data
seen.zero_()

out.sum().backward()
print(x.grad)
