"""What was meant by each program of ``leafward check``'s tests: its text with some parts replaced, written by hand.

name -> one list of ``(text, its replacement)`` for each thing that may have been meant.
"""

#: Of the programs in ``mistakes*.py`` and ``test_check.py``.
INTENDED = {
    "a step without parentheses": [[("    opt.step\n", "    opt.step()\n")]],
    "clearing without parentheses": [[("    opt.zero_grad\n", "    opt.zero_grad()\n")]],
    "a switch that is misspelt": [[("p.require_grad", "p.requires_grad")]],
    "a method that is set": [[("p.requires_grad_", "p.requires_grad")]],
    "a switch of a whole network": [[("body.requires_grad = False", "for p in body.parameters(): p.requires_grad = False")]],
    "a switch that is compared": [[("p.requires_grad == False", "p.requires_grad = False")]],
    "parameters that a loop's name leaves": [[("p = p + 0.5 * (q - p)", "p.data.lerp_(q.data, 0.5)")]],
    "a hook that returns nothing": [[("    g = g.clamp", "    return g.clamp")]],
    "a function that drops in evaluation": [[("0.5))", "0.5, self.training))")]],
    "clearing before each part of a step": [[("    opt.zero_grad()\n", "    if i % 4 == 0: opt.zero_grad()\n")]],
    "clipping after the step": [
        [("    nn.utils.clip_grad_norm_(net.parameters(), 0.1)\n", ""),
         ("    opt.step()\n", "    nn.utils.clip_grad_norm_(net.parameters(), 0.1)\n    opt.step()\n")],
    ],
    "clipping what is scaled": [[("    nn.utils.clip", "    scaler.unscale_(opt)\n    nn.utils.clip")]],
    "a plain step of what is scaled": [[("    opt.step()", "    scaler.step(opt)")]],
    "a best state that goes on": [
        [("best, least = net.state_dict()", "import copy; best, least = copy.deepcopy(net.state_dict())")],
    ],
    "a teacher that is its student": [[("teacher = student\n", "import copy; teacher = copy.deepcopy(student)\n")]],
    "a constant that is differentiated": [[(".detach()", ".detach().requires_grad_()")]],
    "two optimizers of one network": [[("    second.step()\n", "")]],
    "gradients clipped before they are there": [
        [("    nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n", ""),
         ("    loss.backward()\n", "    loss.backward()\n    nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n")],
    ],
    "gradients limited before they are there, in a trainer": [
        [("        nn.utils.clip_grad_value_(self.net.parameters(), 0.5)\n", ""),
         ("loss.backward()\n", "loss.backward()\n        nn.utils.clip_grad_value_(self.net.parameters(), 0.5)\n")],
    ],
    "log-probabilities over the batch": [[("dim=0", "dim=1")]],
    "probabilities over the batch, of which one of each row is taken": [[("softmax(0)", "softmax(1)")]],
    "probabilities over the batch, of which the chosen are gathered": [[("randn(6, 3)), 0)", "randn(6, 3)), 1)")]],
    "a generator that is used up": [[("clip_grad_norm_(params", "clip_grad_norm_(net.parameters()")]],
    "a warm-up in whole numbers": [[("step // 1000", "step / 1000")]],
    "a scheduler of the optimizer before": [[("opt = torch.optim.SGD(net.parameters(), lr=0.1)\n", ""), ("decay = torch.optim."
        "lr_scheduler.StepLR(opt, 1, 0.1)\n", ""), ("lr=0.01)\n", "lr=0.01)\ndecay = torch.optim.lr_scheduler.StepLR(opt, 1, "
        "0.1)\n")]],
    "a scheduler before the step": [[("    decay.step()\n", ""), ("    opt.step()\n", "    opt.step()\n    decay.step()\n")]],
    "a bootstrapped target with a history": [[("q(s2)", "q(s2).detach()")]],
    "a target of the difference in time": [[("v(s2)", "v(s2).detach()")]],
    "an inner step of a copy": [[(", fast)\n", ", fast, create_graph=True)\n")]],
    "an average that keeps graphs": [[("0.1 * v\n", "0.1 * v.detach()\n")]],
    "an actor that samples": [[("dist.sample()", "dist.rsample()")]],
    "a generator's optimizer zeroed twice": [
        [("    og.zero_grad()\n    d =", "    og.zero_grad()\n    od.zero_grad()\n    d =")],
    ],
    "a discriminator's step below the generator's backward": [
        [("    od.step()\n", ""), ("d_loss.backward()\n", "d_loss.backward()\n    od.step()\n")],
    ],
    "a discriminator zeroed after its step": [
        [("    F.softplus(-D(torch", "    D.zero_grad()\n    F.softplus(-D(torch")],
    ],
    "a frozen layer that momentum moves on": [
        [("opt.zero_grad(set_to_none=False)", "        p.grad = None\n    opt.zero_grad(set_to_none=False)")],
    ],
    "a frozen embedding that weight decay moves on": [
        [("for i in range(3):", "emb.zero_grad()\nfor i in range(3):")],
    ],
    "a frozen layer with its old gradient": [
        [("range(2):\n", "range(2):\n    net[0].weight.grad = None\n")],
    ],
    "a checkpoint as one node, of data": [
        [
            ("h = checkpoint(body, torch.ones(3, 2), use_reentrant=True)",
             "h = checkpoint(body, torch.ones(3, 2), use_reentrant=False)"),
        ],
    ],
    "a checkpoint as one node, in forward": [
        [
            ("x = checkpoint_sequential(self.blocks, 2, x, use_reentrant=True)",
             "x = checkpoint_sequential(self.blocks, 2, x, use_reentrant=False)"),
        ],
    ],
    "a validation that leaves evaluation on": [
        [("for _ in range(2):", "net.train()\n    for _ in range(2):")],
    ],
    "a trainer whose network stays in evaluation": [
        [("for _ in range(2):", "self.model.train()\n        for _ in range(2):")],
    ],
    "zero_grad forgotten in a function": [
        [("for x, y in data:\n", "for x, y in data:\n        opt.zero_grad()\n")],
    ],
    "zero_grad forgotten, with a step now and then": [
        [("        opt.step()\n", "        opt.step()\n        opt.zero_grad()\n")],
    ],
    "a discriminator that trains with the generator's gradients": [
        [("    fake = G(", "    opt_d.zero_grad()\n    fake = G(")],
    ],
    "an update by hand without zeroing": [
        [("    loss = ((", "    w.grad = None\n    b.grad = None\n    loss = ((")],
    ],
    "an update of a network by hand without zeroing": [
        [("    loss = net", "    for p in net.parameters(): p.grad = None\n    loss = net")],
    ],
    "an update by hand that replaces the data": [
        [("loss.backward()", "w.grad = None\n    loss.backward()")],
    ],
    "a parameter made in forward": [
        [("        self.scale = nn.Parameter(torch.ones(2))\n", ""),
         ("self.fc = nn.Linear(3, 2)", "self.fc, self.scale = nn.Linear(3, 2), nn.Parameter(torch.ones(2))")],
    ],
    "a layer made in forward": [
        [
            ("self.fc = nn.Linear(3, 2)", "self.fc = nn.Linear(3, 2)\n        self.last = nn.Linear(2, 1)"),
            ("        head = nn.Linear(2, 1)\n", ""),
            ("head(self", "self.last(self"),
        ],
    ],
    "a parameter made at the first call": [
        [
            ("self.fc, self.scale = nn.Linear(3, 2), None",
             "self.fc, self.scale = nn.Linear(3, 2), nn.Parameter(torch.ones(2))"),
        ],
    ],
    "an encoder that the optimizer lacks": [
        [("head.parameters()", "list(head.parameters()) + list(enc.parameters())")],
    ],
    "half of a network in the optimizer": [
        [("opt = torch.optim.SGD(net[2].parameters(), lr=0.1)", "opt = torch.optim.SGD(net.parameters(), lr=0.1)")],
    ],
    "zero_grad forgotten, with sparse gradients": [
        [
            ("emb(torch.tensor([1, 2])).pow(2).mean().backward()",
             "opt.zero_grad()\n    emb(torch.tensor([1, 2])).pow(2).mean().backward()"),
        ],
    ],
    "an update by hand without zeroing, of sparse gradients": [
        [
            ("emb(torch.tensor([1, 2])).pow(2).mean().backward()",
             "emb.zero_grad()\n    emb(torch.tensor([1, 2])).pow(2).mean().backward()"),
        ],
    ],
    "a bias that the optimizer lacks": [
        [("opt = torch.optim.SGD([w], lr=0.1)", "opt = torch.optim.SGD([w, b], lr=0.1)")],
    ],
    "accuracy in the loss": [
        [("loss = F.cross_entropy(out, y) + 0.5 * wrong", "loss = F.cross_entropy(out, y)")],
    ],
    "a penalty as a number": [
        [(".item()", "")],
    ],
    "a penalty of .data": [
        [("loss = loss + 0.01 * net.weight.data.norm()", "loss = loss + 0.01 * net.weight.norm()")],
    ],
    "a second loss under no_grad": [
        [
            ("    with torch.no_grad():\n        kl = z.pow(2).mean()\n    loss += kl",
             "    loss = loss + z.pow(2).mean()"),
        ],
    ],
    "several losses of which one is cut": [
        [
            ("losses = [a(x).pow(2).mean(), b(x).pow(2).mean(), (a(x) - b(x)).abs().mean().detach()]",
             "losses = [a(x).pow(2).mean(), b(x).pow(2).mean(), (a(x) - b(x)).abs().mean()]"),
        ],
    ],
    "a temperature as a number": [
        [(".item()", "")],
    ],
    "a rounded prediction in the loss": [
        [("p.round() - y", "p - p.detach() + p.detach().round() - y")],
    ],
    "an argmax that is also an index": [
        [("loss = loss + 0.1 * length.mean()", "pass")],
    ],
    "a number of NumPy's in the loss": [
        [("0.5 * np.mean(z.detach().numpy() ** 2)", "z.square().mean() / 2"), ("float(size)", "size")],
    ],
    "positions that are no parameter": [
        [("torch.randn(5, 4, requires_grad=True)", "nn.Parameter(torch.randn(5, 4))")],
    ],
    "three layers made in forward": [
        [
            ("        self.out = nn.Linear(4, 2)",
             "        self.out = nn.Linear(4, 2)\n        self.parts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))"),
            ("nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)\n", "self.parts\n"),
        ],
    ],
    "step() before backward()": [
        [("    opt.step()\n", ""), ("    loss.backward()\n", "    loss.backward()\n    opt.step()\n")],
    ],
    "an update with momentum by hand": [
        [("loss.backward()", "w.grad = None\n    loss.backward()")],
    ],
    "log-probs of old weights": [
        [("    loss = -(logp", "    logp = net(x).log_softmax(1)[torch.arange(6), a]\n    loss = -(logp")],
    ],
    "features of old weights, updated by hand": [
        [("loss = h.pow", "loss = (x @ w).pow")],
    ],
    "step() forgotten": [
        [("    loss.backward()\n", "    loss.backward()\n    opt.step()\n")],
    ],
    "backward() forgotten": [
        [("opt.step()", "loss.backward()\n    opt.step()")],
    ],
    "zero_grad between backward and step": [
        [("    opt.zero_grad()\n", ""), ("    loss = net", "    opt.zero_grad()\n    loss = net")],
    ],
    "evaluation mode in the second epoch": [
        [("opt.zero_grad()", "net.train()\n    opt.zero_grad()")],
    ],
    "a total that keeps every graph": [
        [("total += loss", "total += loss.item()")],
    ],
    "a generator behind a detach": [
        [("fake = G(torch.randn(4, 2)).detach()", "fake = G(torch.randn(4, 2))")],
    ],
    "a custom function with half the gradient": [
        [("return g * x", "return g * 2 * x")],
    ],
    "the standard deviation of one": [
        [("spread = (w * 2).std(0)", "spread = ((w * 2).var(0, correction=0) + 1e-12).sqrt()")],
    ],
    "a distance of nothing": [
        [("d = (net(x) - net(y)).pow(2).sum(1).sqrt()", "d = (net(x) - net(y)).pow(2).sum(1).clamp(min=1e-12).sqrt()")],
        [("d = (net(x) - net(y)).pow(2).sum(1).sqrt()", "d = ((net(x) - net(y)).pow(2).sum(1) + 1e-12).sqrt()")],
    ],
    "a column against a row": [
        [("net(x) - y", "net(x) - y[:, None]")],
    ],
    "probabilities for a cross entropy": [
        [("p = F.softmax(net(x), dim=1)", "p = net(x)")],
    ],
    "probabilities where logarithms are wanted": [
        [("F.nll_loss(p,", "F.nll_loss(p.log(),")],
    ],
    "a sigmoid before a loss that applies one": [
        [
            ("criterion(torch.sigmoid(net(torch.randn(6, 3))), torch.ones(6, 1)).backward()",
             "criterion(net(torch.randn(6, 3)), torch.ones(6, 1)).backward()"),
        ],
    ],
    "an advantage with a history": [
        [
            ("loss = -(dist.log_prob(action) * advantage).mean() + advantage.pow(2).mean()",
             "loss = -(dist.log_prob(action) * advantage.detach()).mean() + advantage.pow(2).mean()"),
        ],
    ],
    "a baseline with a history": [
        [
            ("loss = (-(returns - value) * chosen).mean() + F.mse_loss(value, returns)",
             "loss = ((-(returns - value)).detach() * chosen).mean() + F.mse_loss(value, returns)"),
        ],
    ],
    "a normalised advantage with a history": [
        [
            ("loss = -(dist.log_prob(action) * advantage).mean() + (value - returns).pow(2).mean()",
             "loss = -(dist.log_prob(action) * advantage.detach()).mean() + (value - returns).pow(2).mean()"),
        ],
    ],
    "margins of a column and labels": [
        [("y * net(x)", "y * net(x)[:, 0]")],
    ],
    "probabilities for a divergence": [
        [("F.kl_div(p,", "F.kl_div(p.log(),")],
    ],
    "probabilities for a divergence's layer": [
        [("divergence(own,", "divergence(own.log(),")],
    ],
    "a loss function of a column and a row": [
        [("criterion(net(x), y)", "criterion(net(x), y[:, None])")],
    ],
    "a loss function of a row and a column": [
        [("net(x)[:, 0]", "net(x)")],
    ],
    "targets of a column and a row": [
        [("old(s2).max(1, keepdim=True)[0]", "old(s2).max(1)[0]"), ("q(s).gather(1, a)", "q(s).gather(1, a)[:, 0]")],
    ],
    "an optimizer of what is no leaf": [
        [
            ("w = torch.randn(3, requires_grad=True).to(torch.float64)",
             "w = torch.randn(3, requires_grad=True).to(torch.float64).detach().requires_grad_()"),
        ],
    ],
    "an attack whose second step has no gradient": [
        [
            ("adv = adv + 0.1 * adv.grad.sign()",
             "adv.data += 0.1 * adv.grad.sign(); adv = adv.data.clone().requires_grad_()"),
        ],
    ],
    "requires_grad after the forward": [
        [("torch.rand(2, 3)", "torch.rand(2, 3).requires_grad_()"), ("img.requires_grad_()\n", "")],
    ],
    "an optimizer of copies": [
        [("SGD(copies,", "SGD([net.weight, net.bias],")],
    ],
    "a temperature as a number, with a penalty on it": [
        [("logits = net(torch.ones(2, 3)) / temp.item()", "logits = net(torch.ones(2, 3)) / temp")],
    ],
    "a number with a name, made of a parameter that is trained besides": [
        [("scale = 1.0 / temp.item()", "scale = 1.0 / temp")],
    ],
    "float() of a deviation in a likelihood": [
        [("math.exp(float(log_sigma))", "log_sigma.exp()")],
    ],
    "a divergence as a number, in a function that returns the loss": [
        [(".mean().item()", ".mean()")],
    ],
    "a forecast that is scaled back by NumPy": [
        [("torch.tensor(y.detach().numpy() * self.spread + self.mean)", "y * self.spread + self.mean")],
    ],
    "a low-rank factor that is no leaf": [
        [("torch.randn(2, 4, requires_grad=True) * 0.01", "nn.Parameter(0.01 * torch.randn(2, 4))")],
    ],
    "log-probs of old weights, from a function": [
        [("    ratio = (new - old)", "    ratio = (logp() - old)")],
    ],
    "a running mean of losses with their graphs": [
        [("0.1 * loss", "0.1 * float(loss.detach())")],
    ],
    "a slope of a network, taken as a constant": [
        [("torch.ones_like(y))", "torch.ones_like(y), create_graph=True)")],
    ],
    "codes that are rounded": [
        [
            ("torch.round(torch.sigmoid(enc(torch.ones(2, 3))))",
             "enc(torch.ones(2, 3)).sigmoid(); code = code + (code.round() - code).detach()"),
        ],
    ],
    "codes that are signs": [
        [("loss = (dec(h.sign()) - x).pow(2).mean()", "loss = (dec((h + (h.sign() - h).detach())) - x).pow(2).mean()")],
    ],
    "codes in steps, in a module": [
        [
            ("code = torch.floor(self.enc(x) * 8) / 8",
             "soft = self.enc(x) * 8\n        code = (soft + (torch.floor(soft) - soft).detach()) / 8"),
        ],
    ],
    "the nearest code, without a way around it": [
        [("zq = codebook[idx]", "zq = codebook[idx] + (z - z.detach())")],
    ],
    "a deviation of zero, in a logarithm and below": [
        [("std = torch.relu(std)", "std = torch.relu(std) + 1e-6")],
    ],
    "a row that is masked as a whole": [
        [
            ('scores = x.masked_fill(~mask, float("-inf"))',
             "scores = x.masked_fill(~mask, torch.finfo(torch.float32).min)"),
        ],
    ],
    "gradients never set to zero": [
        [("((w - 3.0) ** 2).backward()", "opt.zero_grad()\n    ((w - 3.0) ** 2).backward()")],
    ],
    "a backward that forgets the chain rule": [
        [("return 2 * x", "return grad_output * 2 * x")],
    ],
    "a backward with a wrong factor": [
        [("grad_output * 2 * x ** 2", "grad_output * 3 * x ** 2")],
    ],
    "an output that is kept on ctx": [
        [("Exp.apply(x)", "x.exp()")],
    ],
    "a history that grows": [
        [("total += loss", "total += loss.item()")],
    ],
    "everything clamped": [
        [("(w * 2).clamp(0.0, 1.0)", "torch.where(w > 0, 1.0, 0.0) + w * 2 - (w * 2).detach()")],
    ],
    "a term that is cut off": [
        [(".detach()", "")],
    ],
    "a loss from before the step": [
        [
            ("    opt.zero_grad()\n    loss.backward(retain_graph=True)",
             "    opt.zero_grad()\n    loss = w.sum()\n    loss.backward()"),
        ],
    ],
    "a frozen layer that moves on": [
        [("range(2):\n", "range(2):\n    for p in net[0].parameters(): p.grad = None\n")],
    ],
    "a layer replaced after the optimizer": [
        [
            ("opt = torch.optim.SGD(net.parameters(), lr=0.1)\nnet[1] = torch.nn.Linear(2, 1)",
             "net[1] = torch.nn.Linear(2, 1); opt = torch.optim.SGD(net.parameters(), lr=0.1)"),
        ],
    ],
    "a layer left in evaluation mode": [
        [("opt.zero_grad()", "net.train()\n    opt.zero_grad()")],
    ],
    "an inner step of first order": [
        [("(g,) = torch.autograd.grad((w ** 3).sum(), w)", "g = 3 * w ** 2")],
    ],
    "what is a warning anyway": [
        [
            ("torch.where(x > 0, x.sqrt(), torch.zeros(1)).sum().backward()",
             "torch.where(x > 0, torch.where(x > 0, x, 1.0).sqrt(), torch.zeros(1)).sum().backward()"),
        ],
    ],
    "a discriminator's loss in the generator's gradient": [
        [("    g_loss.backward()", "    og.zero_grad()\n    g_loss.backward()")],
    ],
    "a network made anew by a function": [
        [("opt = torch.optim.SGD(model.parameters(), lr=0.1)\n", ""),
         ("model = build(8)\n", "model = build(8)\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\n")],
    ],
    "a head of another size after the optimizer": [
        [("opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)\nnet[2] = nn.Linear(8, 2)\n",
          "net[2] = nn.Linear(8, 2)\nopt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)\n")],
    ],
    "a weight that is tied by a second Parameter": [[("nn.Parameter(self.emb.weight)", "self.emb.weight")]],
    "a weight that is tied by its data": [[("out.weight.data = self.emb.weight.data", "out.weight = self.emb.weight")]],
    "one gradient for two inputs": [[("Scale.apply(net(torch.ones(4, 3)), 0.5)", "(net(torch.ones(4, 3)) * 0.5)")]],
    "a gradient for what is no tensor": [[("Clip.apply(0.5, net(torch.ones(4, 3)))", "net(torch.ones(4, 3)).clamp(-.5, .5)")]],
    "a saved tensor that backward scales in place": [[("Square.apply(h)", "(h * h)")]],
    "an activation of NumPy's between two layers": [[("torch.from_numpy(np.tanh(h.detach().numpy()))", "torch.tanh(h)")]],
    "rows that are written twice with equal values": [[("torch.tensor([0, 2, 2])", "torch.tensor([0, 2])")]],
}

#: Of the programs of ``docs/trust.md`` whose stories suggest an edit: a part of the program -> the same.
GUIDE = {
    "def log(h):": [[("log(h)\n", "pass\n")]],
    "opt_D.step()": [[("opt_D.step()\n", ""), ("d_loss.backward()\n", "d_loss.backward()\nopt_D.step()\n")]],
    "y = x.exp()": [[("y = x.exp()", "y = x.exp() * 1")]],
    "w.data -= 0.1 * w.grad": [
        [("w.data -= 0.1 * w.grad\n", ""), ("(inputs=[x])\n", "(inputs=[x])\nw.data -= 0.1 * w.grad\n")]],
    "buffer[:] = batch": [[("lw.from_numpy(buffer)", "lw.tensor(batch)")]],
    "gain.fill_(5.0)": [[("gain.fill_(5.0)\n", "")]],
    "xs = lw.exp(raw * w)": [[("out = xs", "out = lw.exp(raw * w)")]],
    "h = lw.exp(h * x)": [[("lw.exp(h * x)", "lw.exp(h.detach() * x)")]],
    "total += loss": [[("total += loss", "total += loss.item()")]],
    "return body(x)": [[(".detach()", "")]],
    "code = enc * 3": [[("with lw.no_grad():\n    code = enc * 3\n", ""), ("code * scale", "enc * 3 * scale")]],
    "loss = (w * 2)": [[(".detach()\nloss.requires_grad = True", "")]],
    "x @ w": [[("x @ w - y", "x @ w - y[:, None]")]],
    "expand(4, 3)": [[("(w * 2).expand(4, 3)", "lw.stack([w * 2] * 4)")]],
    "lw.sqrt(x)": [[("lw.sqrt(x)", "lw.sqrt(lw.where(x > 0, x, 1.0))")]],
    "log()": [[("p.log()", "(p + 1e-12).log()")]],
    "w.add_(1)": [[("w.add_(1)", "w.data.add_(1)")], [("w.add_(1)", "w = w + 1")]],
}

#: Stories of ``docs/trust.md`` that suggest something in words, by the last line of the program, and why it is no edit.
IN_WORDS = {
    "loss.backward()": "a comparison has no derivative: what is to be measured in its place is the user's to say",
    "row.add_(1)": "the line refused the write: whether it was meant for the copy or for all who share it is not known",
}
