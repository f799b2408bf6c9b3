"""Averages, swaps and second networks."""
import itertools

from tests.trust.training.common import data, mlp, program, sgd, steps, weights


@program
def ema(t):
    net, mean = mlp(t), mlp(t)
    opt = sgd(t, net)
    for _ in range(3):
        steps(t, net, opt, 1)
        with t.no_grad():
            for a, p in zip(mean.parameters(), net.parameters(), strict=True):
                a.mul_(0.9).add_(p, alpha=0.1)
    return weights(net, mean)


@program
def ema_lerp_of_copies(t):
    net = mlp(t)
    mean, opt = [p.detach().clone() for p in net.parameters()], sgd(t, net)
    for _ in range(2):
        steps(t, net, opt, 1)
        for a, p in zip(mean, net.parameters(), strict=True):
            a.lerp_(p.detach(), 0.1)
    return mean


@program
def ema_swapped_in_to_evaluate(t):
    net, seen = mlp(t), []
    mean, opt = [p.detach().clone() * 0.5 for p in net.parameters()], sgd(t, net)
    for _ in range(2):
        steps(t, net, opt, 1)
        kept = [p.detach().clone() for p in net.parameters()]
        with t.no_grad():
            for p, a in zip(net.parameters(), mean, strict=True):
                p.copy_(a)
            seen.append(net(data(t)[0]))
            for p, a in zip(net.parameters(), kept, strict=True):
                p.copy_(a)
    return seen + weights(net)


@program
def ema_swapped_by_data(t):
    net, opt = mlp(t), None
    opt = sgd(t, net)
    mean, seen = [p.detach().clone() for p in net.parameters()], []
    for _ in range(2):
        steps(t, net, opt, 1)
        kept = [p.data for p in net.parameters()]
        for p, a in zip(net.parameters(), mean, strict=True):
            p.data = a
        with t.no_grad():
            seen.append(net(data(t)[0]))
        for p, a in zip(net.parameters(), kept, strict=True):
            p.data = a
    return seen + weights(net)


@program
def averaged_model(t):
    net = mlp(t)
    mean, opt = t.optim.swa_utils.AveragedModel(net), sgd(t, net)
    for _ in range(3):
        steps(t, net, opt, 1)
        mean.update_parameters(net)
    return weights(mean)


@program
def teacher_student(t):
    teacher, student = mlp(t, seed=1), mlp(t)
    opt = sgd(t, student)
    for _ in range(2):
        with t.no_grad():
            target = teacher(data(t)[0])
        opt.zero_grad()
        ((student(data(t)[0]) - target) ** 2).mean().backward()
        opt.step()
    return weights(student)


@program
def moco(t):
    query, key, queue = mlp(t, 2), mlp(t, 2), t.ones(4, 2)
    for p in key.parameters():
        p.requires_grad_(False)
    opt, x = sgd(t, query), data(t, 2)[0]
    for turn in range(3):
        q = t.nn.functional.normalize(query(x), dim=1)
        with t.no_grad():
            for a, p in zip(key.parameters(), query.parameters(), strict=True):
                a.mul_(0.9).add_(p, alpha=0.1)
            k = t.nn.functional.normalize(key(x), dim=1)
        logits = t.cat([(q * k).sum(1, keepdim=True), q @ queue.clone().detach().T], 1)
        loss = t.nn.functional.cross_entropy(logits / 0.5, t.zeros(2, dtype=t.long))
        opt.zero_grad()
        loss.backward()
        opt.step()
        at = turn * 2 % 4
        queue[at:at + 2] = k
    return weights(query, key) + [queue]


@program
def byol(t):
    online, target, head = mlp(t, 2), mlp(t, 2), t.nn.Linear(2, 2)
    opt = t.optim.SGD([*online.parameters(), *head.parameters()], lr=0.1)
    for _ in range(2):
        z = target(data(t)[0]).detach()
        opt.zero_grad()
        (2 - 2 * t.nn.functional.cosine_similarity(head(online(data(t)[0])), z)).mean().backward()
        opt.step()
        for a, p in zip(target.parameters(), online.parameters(), strict=True):
            a.data = a.data * 0.9 + p.data * 0.1
    return weights(online, head, target)


@program
def simsiam(t):
    net, head, x = mlp(t, 2), t.nn.Linear(2, 2), data(t)[0]
    opt = t.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
    z1, z2 = net(x), net(x * 1.1)
    p1, p2 = head(z1), head(z2)
    (-(p1 * z2.detach()).sum(1).mean() / 2 - (p2 * z1.detach()).sum(1).mean() / 2).backward()
    opt.step()
    return weights(net, head)


@program
def dqn(t):
    q, target = mlp(t, 2), mlp(t, 2)
    target.load_state_dict(q.state_dict())
    opt, state = sgd(t, q), data(t)[0]
    for turn in range(3):
        action = t.tensor([0, 1, 0, 1, 1, 0])
        with t.no_grad():
            wanted = 0.1 + 0.9 * target(state + 0.1).max(1).values
        loss = t.nn.functional.smooth_l1_loss(q(state).gather(1, action[:, None]).squeeze(1), wanted)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if turn == 1:
            target.load_state_dict(q.state_dict())
    return weights(q, target)


@program
def double_dqn(t):
    q, target, state = mlp(t, 2), mlp(t, 2, seed=1), data(t)[0]
    opt = sgd(t, q)
    best = q(state).argmax(1, keepdim=True)
    wanted = (0.5 + target(state).gather(1, best)).detach()
    ((q(state).gather(1, best) - wanted) ** 2).mean().backward()
    opt.step()
    return weights(q)


@program
def reinforce(t):
    policy, state = mlp(t, 2), data(t)[0]
    opt, baseline = sgd(t, policy), 0.0
    for _ in range(2):
        logp = t.nn.functional.log_softmax(policy(state), 1)
        action = logp.detach().argmax(1)
        reward = t.linspace(0, 1, 6) - baseline
        opt.zero_grad()
        (-(logp.gather(1, action[:, None]).squeeze(1) * reward).mean()).backward()
        opt.step()
        baseline = 0.9 * baseline + 0.1 * reward.mean().item()
    return weights(policy)


@program
def actor_critic(t):
    actor, critic, state = mlp(t, 2), mlp(t, seed=1), data(t)[0]
    opt = t.optim.SGD([*actor.parameters(), *critic.parameters()], lr=0.1)
    value = critic(state).squeeze(1)
    advantage = t.ones(6) - value
    logp = t.nn.functional.log_softmax(actor(state), 1)[:, 0]
    (-(logp * advantage.detach()).mean() + (advantage ** 2).mean()).backward()
    opt.step()
    return weights(actor, critic)


@program
def ppo(t):
    policy, state = mlp(t, 2), data(t)[0]
    opt, action = sgd(t, policy), t.tensor([[0], [1], [0], [1], [1], [0]])
    with t.no_grad():
        old = t.nn.functional.log_softmax(policy(state), 1).gather(1, action)
    for _ in range(3):
        ratio = (t.nn.functional.log_softmax(policy(state), 1).gather(1, action) - old).exp()
        opt.zero_grad()
        (-t.min(ratio * 0.5, ratio.clamp(0.8, 1.2) * 0.5).mean()).backward()
        opt.step()
    return weights(policy)


@program
def sac_like(t):
    actor, q1, q2, state = mlp(t), mlp(t, seed=1), mlp(t, seed=2), data(t)[0]
    opt_a, opt_q = sgd(t, actor), t.optim.SGD(itertools.chain(q1.parameters(), q2.parameters()), lr=0.1)
    for _ in range(2):
        with t.no_grad():
            wanted = t.min(q1(state), q2(state)) * 0.9 + actor(state)
        opt_q.zero_grad()
        (((q1(state) - wanted) ** 2).mean() + ((q2(state) - wanted) ** 2).mean()).backward()
        opt_q.step()
        for p in (*q1.parameters(), *q2.parameters()):
            p.requires_grad_(False)
        opt_a.zero_grad()
        (-t.min(q1(state + actor(state)), q2(state + actor(state))).mean()).backward()
        opt_a.step()
        for p in (*q1.parameters(), *q2.parameters()):
            p.requires_grad_(True)
    return weights(actor, q1, q2)
