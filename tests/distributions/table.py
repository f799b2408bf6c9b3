"""Every distribution, each with several parameters: numbers become float64 tensors of either side."""

SPD = [[2.0, 0.5, 0.1], [0.5, 1.5, -0.3], [0.1, -0.3, 1.0]]
TRIL = [[1.2, 0.0], [0.4, 0.7]]

CASES = [
    ("Bernoulli", {"probs": [0.2, 0.5, 0.9]}), ("Bernoulli", {"logits": [[-2.0], [0.3]]}), ("Bernoulli", {"probs": 0.3}),
    ("Beta", {"concentration1": [0.5, 2.0, 1.0], "concentration0": [3.0, 0.7, 1.5]}),
    ("Beta", {"concentration1": [0.3, 0.8], "concentration0": [0.4, 0.2]}),
    ("Beta", {"concentration1": 2.0, "concentration0": 3.0}),
    ("Binomial", {"total_count": 5.0, "probs": [0.2, 0.9]}), ("Binomial", {"total_count": 100.0, "logits": [0.5, -1.0]}),
    ("Binomial", {"total_count": [3.0, 7.0], "probs": [0.4, 0.5]}),
    ("Categorical", {"probs": [[0.1, 0.2, 0.7], [1.0, 1.0, 2.0]]}), ("Categorical", {"logits": [0.3, -1.0, 2.0, 0.0]}),
    ("Cauchy", {"loc": [0.0, 1.0], "scale": [1.0, 2.5]}), ("Cauchy", {"loc": 0.5, "scale": [0.1, 3.0]}),
    ("Chi2", {"df": [0.5, 3.0, 20.0]}), ("Chi2", {"df": 2.0}),
    ("ContinuousBernoulli", {"probs": [0.2, 0.4995, 0.5, 0.9]}), ("ContinuousBernoulli", {"logits": [-3.0, 0.001, 1.0]}),
    ("Dirichlet", {"concentration": [[0.5, 2.0, 3.0], [1.0, 1.5, 0.1]]}), ("Dirichlet", {"concentration": [0.2, 0.9]}),
    ("Exponential", {"rate": [0.5, 2.0]}), ("Exponential", {"rate": 1.5}),
    ("FisherSnedecor", {"df1": [1.0, 3.0, 8.0], "df2": [1.5, 3.5, 9.0]}), ("FisherSnedecor", {"df1": 4.0, "df2": 5.0}),
    ("Gamma", {"concentration": [0.3, 1.0, 5.0], "rate": [2.0, 1.0, 0.5]}), ("Gamma", {"concentration": 2.0, "rate": 1.0}),
    ("GeneralizedPareto", {"loc": [1.0, 0.0, -1.0, 0.0], "scale": [2.0, 1.0, 0.5, 1.0],
                           "concentration": [-0.5, 0.0, 0.3, 1.5]}),
    ("Geometric", {"probs": [0.2, 0.7]}), ("Geometric", {"logits": [0.3, -2.0]}),
    ("Gumbel", {"loc": [0.0, 1.0], "scale": [1.0, 2.5]}), ("Gumbel", {"loc": 0.0, "scale": 2.0}),
    ("HalfCauchy", {"scale": [1.0, 2.5]}), ("HalfNormal", {"scale": [1.0, 2.5]}), ("HalfNormal", {"scale": 0.7}),
    ("InverseGamma", {"concentration": [0.5, 1.5, 4.0], "rate": [1.0, 2.0, 0.5]}),
    ("Kumaraswamy", {"concentration1": [0.5, 2.0, 1.5], "concentration0": [2.0, 3.0, 0.8]}),
    ("LKJCholesky", {"dim": "3", "concentration": [0.5, 2.0]}), ("LKJCholesky", {"dim": "2", "concentration": 1.0}),
    ("Laplace", {"loc": [0.0, 1.0], "scale": [1.0, 2.5]}), ("Laplace", {"loc": 2.0, "scale": 0.3}),
    ("LogNormal", {"loc": [0.0, 0.5], "scale": [1.0, 0.5]}), ("LogisticNormal", {"loc": [0.0, 1.0], "scale": [1.0, 0.5]}),
    ("LowRankMultivariateNormal", {"loc": [0.1, 0.2, 0.3], "cov_factor": [[1.0], [0.5], [-0.2]],
                                   "cov_diag": [1.0, 2.0, 0.5]}),
    ("LowRankMultivariateNormal", {"loc": [[0.1, 0.2], [0.0, 1.0]], "cov_factor": [[1.0], [0.5]], "cov_diag": [1.0, 2.0]}),
    ("Multinomial", {"total_count": "6", "probs": [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]}),
    ("Multinomial", {"total_count": "3", "logits": [0.5, -1.0]}),
    ("MultivariateNormal", {"loc": [0.0, 1.0, -1.0], "covariance_matrix": SPD}),
    ("MultivariateNormal", {"loc": [[0.0, 1.0, 2.0], [1.0, 0.0, 0.0]], "precision_matrix": SPD}),
    ("MultivariateNormal", {"loc": [0.0, 1.0], "scale_tril": TRIL}),
    ("NegativeBinomial", {"total_count": [3.0, 5.5], "probs": [0.2, 0.7]}),
    ("NegativeBinomial", {"total_count": 2.0, "logits": [0.3, -1.0]}),
    ("Normal", {"loc": [0.0, 1.0], "scale": [1.0, 2.5]}), ("Normal", {"loc": [[0.5], [1.0]], "scale": [0.1, 3.0]}),
    ("Normal", {"loc": 0.0, "scale": 1.0}),
    ("OneHotCategorical", {"probs": [[0.1, 0.2, 0.7], [0.6, 0.3, 0.1]]}), ("OneHotCategorical", {"logits": [0.5, -1.0]}),
    ("OneHotCategoricalStraightThrough", {"probs": [[0.1, 0.2, 0.7], [0.6, 0.3, 0.1]]}),
    ("Pareto", {"scale": [1.0, 2.0, 0.5], "alpha": [0.5, 1.5, 4.0]}),
    ("Poisson", {"rate": [0.3, 4.0, 40.0]}), ("Poisson", {"rate": 2.0}),
    ("RelaxedBernoulli", {"temperature": 0.7, "probs": [0.2, 0.7]}),
    ("RelaxedBernoulli", {"temperature": 1.5, "logits": [0.5, -1.0]}),
    ("RelaxedOneHotCategorical", {"temperature": 0.7, "probs": [[0.1, 0.2, 0.7], [0.6, 0.3, 0.1]]}),
    ("RelaxedOneHotCategorical", {"temperature": 1.5, "logits": [0.5, -1.0]}),
    ("StudentT", {"df": [0.5, 1.5, 8.0], "loc": [0.0, 1.0, 2.0], "scale": [1.0, 2.0, 0.5]}), ("StudentT", {"df": 3.0}),
    ("Uniform", {"low": [0.0, -1.0], "high": [1.0, 3.5]}), ("Uniform", {"low": -2.0, "high": -1.0}),
    ("VonMises", {"loc": [0.0, 1.0, -2.0], "concentration": [0.5, 4.0, 100.0]}),
    ("Weibull", {"scale": [1.0, 2.0], "concentration": [0.7, 3.0]}),
    ("Wishart", {"df": 5.0, "covariance_matrix": SPD}), ("Wishart", {"df": [4.0, 6.5], "scale_tril": TRIL}),
    ("Wishart", {"df": 7.0, "precision_matrix": SPD}),
]


def build(t, name, parameters, requires_grad=False, dtype="float64", **options):
    """``(distribution, its tensors)`` in the namespace ``t``; a string is an integer that stays one."""
    if name == "GeneralizedPareto":
        dtype = "float32"                       # PyTorch's fails in float64: "Double did not match Float"
    given = {key: int(value) if isinstance(value, str) else t.tensor(value, dtype=getattr(t, dtype))
             for key, value in parameters.items()}
    tensors = [value for value in given.values() if not isinstance(value, int)]
    if requires_grad:
        for tensor in tensors:
            tensor.requires_grad_()
    return getattr(t.distributions, name)(**given, **options), tensors


def name_of(case):
    return f"{case[0]}-{', '.join(case[1])}" if isinstance(case, tuple) else str(case)
