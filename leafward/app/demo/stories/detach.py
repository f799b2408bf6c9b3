import leafward as torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
out = x.sigmoid()
seen = out.detach()
seen.zero_()

print(out)
out.sum().backward()
