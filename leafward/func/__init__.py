"""Functions of functions: gradients, Jacobians, Hessians, products with them, and batches.

>>> import leafward as lw
>>> lw.func.grad(lambda x: (x ** 2).sum())(lw.tensor([1.0, 2.0]))
tensor([2., 4.])
>>> lw.func.vmap(lw.func.grad(lambda x, w: (x * w).sum() ** 2), (0, None))(lw.eye(2), lw.tensor([1.0, 2.0]))
tensor([[2., 4.],
        [4., 8.]])
"""
from leafward.autograd.batching import vmap
from leafward.func.derivatives import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp
from leafward.func.modules import functional_call, replace_all_batch_norm_modules_, stack_module_state
from leafward.func.programs import debug_unwrap, functionalize
from leafward.func.rearranging import rearrange
from leafward.tensor.missing import names_missing_from

__all__ = ["debug_unwrap", "functional_call", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp",
           "linearize", "rearrange", "replace_all_batch_norm_modules_", "stack_module_state", "vjp", "vmap"]


__getattr__ = names_missing_from("torch.func", globals())
