"""Stochastic variational inference with a guide of its own and an automatic one, and Hamiltonian Monte Carlo."""
import pyro
import pyro.distributions as dist
import torch
from pyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO, TraceMeanField_ELBO
from pyro.infer.autoguide import AutoNormal
from pyro.optim import Adam, ClippedAdam


def coin(data):
    fairness = pyro.sample("fairness", dist.Beta(10.0, 10.0))
    with pyro.plate("throws", len(data)):
        pyro.sample("throw", dist.Bernoulli(fairness), obs=data)


def guide(data):
    a = pyro.param("a", torch.tensor(15.0), constraint=dist.constraints.positive)
    b = pyro.param("b", torch.tensor(15.0), constraint=dist.constraints.positive)
    pyro.sample("fairness", dist.Beta(a, b))


def regression(x, y=None):
    slope = pyro.sample("slope", dist.Normal(torch.zeros(2), 1.0).to_event(1))
    noise = pyro.sample("noise", dist.HalfCauchy(1.0))
    with pyro.plate("rows", len(x)):
        return pyro.sample("y", dist.Normal(x @ slope, noise), obs=y)


def main():
    found = {}
    pyro.set_rng_seed(0)
    pyro.clear_param_store()
    data = torch.tensor([1.0] * 6 + [0.0] * 4)
    steps = SVI(coin, guide, Adam({"lr": 0.05}), loss=Trace_ELBO())
    found["coin"] = [steps.step(data) for _ in range(30)]
    found["a"], found["b"] = pyro.param("a").item(), pyro.param("b").item()
    pyro.clear_param_store()
    x = torch.randn(40, 2)
    y = x @ torch.tensor([1.0, -2.0]) + 0.1 * torch.randn(40)
    automatic = AutoNormal(regression)
    steps = SVI(regression, automatic, ClippedAdam({"lr": 0.05}), loss=TraceMeanField_ELBO(num_particles=2))
    found["regression"] = [steps.step(x, y) for _ in range(30)]
    found["median"] = automatic.median()["slope"].tolist()
    found["predicted"] = Predictive(regression, guide=automatic, num_samples=3)(x[:2])["y"].tolist()
    pyro.set_rng_seed(1)
    chain = MCMC(NUTS(regression, jit_compile=False, max_tree_depth=3), num_samples=5, warmup_steps=3, disable_progbar=True)
    chain.run(x, y)
    found["chain"] = chain.get_samples()["slope"].tolist()
    return found
