"""Strides, copies and pickles of tensors, seen beside PyTorch."""
import copy
import pickle

from tests.both import both


@both
def test_strides_of_empty_tensors(t, see):
    for shape in (0, 3), (3, 0), (2, 0, 3), (0,), (0, 0), (2, 3, 0, 4):
        x = t.zeros(shape)
        see(x.stride(), x.stride(-1), x.is_contiguous(), x.clone().stride(), (x + 1).stride(), x.unsqueeze(-1).stride())
    x = t.zeros(4, 3)
    see(x[2:2].stride(), x[:, 3:].stride(), x[:, ::2][0:0].stride(), t.cat([x[:0], x[:0]]).stride())


@both
def test_attributes_survive_copies_and_pickles(t, see):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    x.label, x._private = "mine", ["a list"]
    x.grad = t.ones(2)
    deep, shallow, pickled = copy.deepcopy(x), copy.copy(x), pickle.loads(pickle.dumps(x))
    for other in deep, shallow, pickled:
        see(other, other.label, other._private, other._private is x._private, other.grad, other.requires_grad, other.is_leaf)
    see(shallow.data_ptr() == x.data_ptr(), deep.data_ptr() == x.data_ptr())
    made = pickle.loads(pickle.dumps(x * 2))
    see(made, made.requires_grad, made.is_leaf)
    see.raises(copy.deepcopy, x * 2)


@both
def test_copies_of_a_base_that_became_a_view_of_itself(t, see):
    x = t.arange(6.0).reshape(2, 3)
    x.t_()
    for other in copy.deepcopy(x), pickle.loads(pickle.dumps(x)):
        row = other[0]
        other.mul_(2)
        see(other, row)


@both
def test_resize_to_the_same_shape_writes_nothing(t, see):
    x = t.zeros(2, 3)
    x.resize_(2, 3)
    see(x._version)
    x.resize_(3, 2)
    see(x._version, x.shape)


@both
def test_joined_tensors_are_row_major(t, see):
    x = t.arange(6.0).reshape(2, 3).t()
    see(t.cat([x, x]).stride(), t.cat([x, x], 1).stride(), t.stack([x, x]).stride(), t.hstack([x, x]).stride())
