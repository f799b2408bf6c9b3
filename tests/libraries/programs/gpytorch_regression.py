"""Gaussian processes: exact regression, and a variational one with inducing points."""
import gpytorch
import torch


class Exact(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean = gpytorch.means.ConstantMean()
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel() + gpytorch.kernels.LinearKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


class Variational(gpytorch.models.ApproximateGP):
    def __init__(self, points):
        distribution = gpytorch.variational.CholeskyVariationalDistribution(points.size(0))
        super().__init__(gpytorch.variational.VariationalStrategy(self, points, distribution))
        self.mean = gpytorch.means.ZeroMean()
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=1.5))

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


def fitted(model, likelihood, x, y, bound):
    model.train(), likelihood.train()
    optimizer = torch.optim.Adam([*model.parameters(), *(likelihood.parameters() if bound.combine else [])], lr=0.1)
    losses = []
    for _ in range(15):
        optimizer.zero_grad()
        loss = -bound.value(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


class Bound:
    """What is maximized, and whether the likelihood's parameters are trained besides the model's own."""

    def __init__(self, value, combine):
        self.value, self.combine = value, combine


def main():
    torch.manual_seed(0)
    x = torch.linspace(0, 1, 30, dtype=torch.float64)
    y = (6 * x).sin() + 0.1 * torch.randn(30, dtype=torch.float64)
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    model = Exact(x, y, likelihood).double()
    bound = Bound(gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model), False)
    found = {"exact": fitted(model, likelihood, x, y, bound)}
    model.eval(), likelihood.eval()
    with torch.no_grad(), gpytorch.settings.fast_pred_var():
        at = likelihood(model(torch.linspace(0, 1.2, 5, dtype=torch.float64)))
        found["mean"], (low, high) = at.mean.tolist(), at.confidence_region()
        found["low"], found["high"] = low.tolist(), high.tolist()
    likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
    model = Variational(x[::5].clone()).double()
    bound = Bound(gpytorch.mlls.VariationalELBO(likelihood, model, 30), True)
    found["variational"] = fitted(model, likelihood, x, y, bound)
    return found
