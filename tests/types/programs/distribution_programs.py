"""Distributions: sampling, densities, divergences, transforms, a variational bound."""
import leafward as torch
import leafward.distributions as D
from leafward import Tensor
from leafward.distributions import Categorical, Independent, MultivariateNormal, Normal, kl_divergence, register_kl
from leafward.distributions.transforms import AffineTransform, SigmoidTransform


class Shifted(Normal):
    pass


@register_kl(Shifted, Shifted)
def kl_shifted(p: Shifted, q: Shifted) -> Tensor:
    return (p.loc - q.loc).abs()


def elbo(loc: Tensor, log_scale: Tensor, data: Tensor) -> Tensor:
    q = Independent(Normal(loc, log_scale.exp()), 1)
    prior = Independent(Normal(torch.zeros_like(loc), torch.ones_like(loc)), 1)
    z = q.rsample((5,))
    return Normal(z.mean(), 1.0).log_prob(data).sum() - kl_divergence(q, prior)


def main() -> None:
    normal = Normal(0.0, 1.0)
    x = normal.sample((3, 2))
    print(x.shape, normal.log_prob(x).sum().item(), normal.mean + normal.stddev, normal.entropy())
    policy = Categorical(logits=torch.randn(4))
    action = policy.sample()
    loss = -policy.log_prob(action) * 2.0
    print(int(action.item()), loss, policy.probs.sum())
    full = MultivariateNormal(torch.zeros(2), covariance_matrix=torch.eye(2))
    print(full.rsample(torch.Size([2])).shape, full.batch_shape, full.event_shape, full.support)
    logistic = D.TransformedDistribution(D.Uniform(0.0, 1.0), [SigmoidTransform().inv, AffineTransform(loc=0.0, scale=2.0)])
    print(logistic.sample().item(), logistic.cdf(torch.tensor(0.0)))
    mixture = D.MixtureSameFamily(Categorical(torch.ones(3)), Normal(torch.arange(3.0), torch.ones(3)))
    print(mixture.log_prob(torch.tensor(1.0)), D.Bernoulli(probs=0.3).expand([2]).mean)
    print(D.constraints.positive.check(torch.tensor([1.0, -1.0])), D.Dirichlet(torch.ones(3)).concentration)
    print(kl_divergence(Shifted(0.0, 1.0), Shifted(torch.tensor(1.0), 1.0)), D.Gamma(2, 3).variance)
    loc, log_scale = torch.zeros(2, requires_grad=True), torch.zeros(2, requires_grad=True)
    elbo(loc, log_scale, torch.randn(4)).backward()
    print(loc.grad)


if __name__ == "__main__":
    main()
