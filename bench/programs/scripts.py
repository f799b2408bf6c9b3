"""What people write by hand: solvers, backward passes, loops over an environment, many optimizers, loaders."""


def ode_solver(torch):
    """Dormand and Prince's steps over tiny tensors, as ODE packages write them, with gradients through all of them."""
    torch.manual_seed(0)
    weights = torch.nn.Parameter(torch.tensor([[-0.1, 2.0], [-2.0, -0.1]]))
    stages = [[1 / 5], [3 / 40, 9 / 40], [44 / 45, -56 / 15, 32 / 9],
              [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
              [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656]]
    last = [35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]
    times = torch.linspace(0.0, 1.0, 6)

    def f(t, y):
        return torch.matmul(y ** 3, weights) * torch.cos(t)

    def step():
        weights.grad = None
        y, path = torch.tensor([[2.0, 0.0]]), []
        for k in range(5):
            t, dt = times[k], times[k + 1] - times[k]
            slopes = [f(t, y)]
            for row in stages:
                slopes.append(f(t + sum(row) * dt, y + dt * sum(a * s for a, s in zip(row, slopes))))
            y = y + dt * sum(a * s for a, s in zip(last, slopes))
            path.append(y)
        loss = torch.stack(path).abs().mean()
        loss.backward()
        return loss.item() + weights.grad.sum().item()
    return step


def backward_by_hand(torch):
    """A character model whose backward pass is written out, with lookups by integer tensors."""
    generator = torch.Generator().manual_seed(42)
    letters, width, block, hidden, batch = 27, 10, 3, 64, 32
    inputs = torch.randint(0, letters, (512, block), generator=generator)
    targets = torch.randint(0, letters, (512,), generator=generator)
    table = torch.randn((letters, width), generator=generator)
    w1 = torch.randn((width * block, hidden), generator=generator) * 0.2
    w2, b2 = torch.randn((hidden, letters), generator=generator) * 0.1, torch.randn(letters, generator=generator) * 0.1
    gain, shift = torch.randn((1, hidden), generator=generator) * 0.1 + 1.0, torch.randn((1, hidden), generator=generator) * 0.1
    parameters = [table, w1, w2, b2, gain, shift]

    def step():
        with torch.no_grad():
            places = torch.randint(0, inputs.shape[0], (batch,), generator=generator)
            x, y = inputs[places], targets[places]
            embedded = table[x]
            flat = embedded.view(embedded.shape[0], -1)
            before = flat @ w1
            centred = before - before.mean(0, keepdim=True)
            inverse = (before.var(0, keepdim=True, unbiased=True) + 1e-5) ** -0.5
            normal = centred * inverse
            h = torch.tanh(gain * normal + shift)
            logits = h @ w2 + b2
            loss = torch.nn.functional.cross_entropy(logits, y)

            d_logits = torch.nn.functional.softmax(logits, 1)
            d_logits[range(batch), y] -= 1
            d_logits /= batch
            d_h = d_logits @ w2.T
            d_act = (1.0 - h ** 2) * d_h
            spread = batch / (batch - 1) * normal * (d_act * normal).sum(0)
            d_before = gain * inverse / batch * (batch * d_act - d_act.sum(0) - spread)
            d_embedded = (d_before @ w1.T).view(embedded.shape)
            d_table = torch.zeros_like(table)
            for k in range(x.shape[0]):
                for j in range(x.shape[1]):
                    d_table[x[k, j]] += d_embedded[k, j]
            grads = [d_table, flat.T @ d_before, h.T @ d_logits, d_logits.sum(0), (normal * d_act).sum(0, keepdim=True),
                     d_act.sum(0, keepdim=True)]
            for p, grad in zip(parameters, grads):
                p.data += -0.01 * grad
        return loss.item()
    return step


def optimizer_zoo(torch):
    """Two steps of each optimizer on a function of a small vector, as optimizer packages test themselves."""
    names = ("SGD", "Adam", "AdamW", "Adagrad", "Adadelta", "Adamax", "RMSprop", "Rprop", "NAdam", "RAdam", "ASGD")

    def step():
        total = 0.0
        for name in names:
            weight = torch.tensor([-2.0, 2.0], requires_grad=True)
            bias = torch.zeros(1, requires_grad=True)
            optimizer = getattr(torch.optim, name)([{"params": [weight]}, {"params": [bias], "lr": 0.01}], lr=0.02)
            for _ in range(2):
                optimizer.zero_grad()
                x, y = weight
                loss = (1.0 - x + bias.sum()) ** 2 + 100 * (y - x ** 2) ** 2
                loss.backward()
                torch.nn.utils.clip_grad_norm_([weight, bias], 1.0)
                optimizer.step()
            total += loss.item()
        return total
    return step


def policy_gradient(torch):
    """An episode of a small policy in an environment of plain Python, then one update from its returns."""
    torch.manual_seed(0)
    policy = torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.Tanh(), torch.nn.Linear(32, 2))
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)

    def step():
        state, seen, rewards = [0.1, -0.2, 0.05, 0.0], [], []
        for _ in range(20):
            distribution = torch.distributions.Categorical(logits=policy(torch.as_tensor(state, dtype=torch.float32)))
            action = distribution.sample()
            seen.append(distribution.log_prob(action))
            push = 0.1 if action.item() else -0.1
            state = [state[0] + 0.02 * state[1], state[1] + push, state[2] + 0.02 * state[3], state[3] - push]
            rewards.append(1.0 - abs(state[0]) - abs(state[2]))
        returns, value = [], 0.0
        for reward in reversed(rewards):
            value = reward + 0.99 * value
            returns.insert(0, value)
        returns = torch.tensor(returns)
        returns = (returns - returns.mean()) / (returns.std() + 1e-8)
        loss = -(torch.stack(seen) * returns).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()
    return step


def loader(torch):
    """An epoch of shuffled batches of rows and labels."""
    torch.manual_seed(0)
    data = torch.utils.data.TensorDataset(torch.randn(512, 16), torch.randint(0, 5, (512,)))
    batches = torch.utils.data.DataLoader(data, batch_size=32, shuffle=True)

    def step():
        return sum(x[0, 0].item() + y[0].item() for x, y in batches)
    return step


def random_sampler(torch):
    """Batches of windows of a text at random places with replacement, as small language models are fed."""
    torch.manual_seed(0)
    text = list(range(65)) * 40

    class Windows(torch.utils.data.Dataset):
        def __len__(self):
            return len(text) - 33

        def __getitem__(self, index):
            window = torch.tensor(text[index:index + 33], dtype=torch.long)
            return window[:-1], window[1:]

    windows = Windows()
    sampler = torch.utils.data.RandomSampler(windows, replacement=True, num_samples=int(1e10))
    batches = iter(torch.utils.data.DataLoader(windows, sampler=sampler, batch_size=32))

    def step():
        x, y = next(batches)
        return float(x.sum() + y.sum())
    return step


PROGRAMS = {function.__name__: function for function in (
    ode_solver, backward_by_hand, optimizer_zoo, policy_gradient, loader, random_sampler)}
