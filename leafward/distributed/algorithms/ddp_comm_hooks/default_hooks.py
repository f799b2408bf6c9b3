"""The mean as it is, and in half the bytes."""
import functools

from leafward import dtypes
from leafward.distributed import collectives
from leafward.distributed.work import Future
from leafward.distributed.world import group_or_default


def there(value):
    """A future of what is there already."""
    future = Future()
    future.set_result(value)
    return future


def reduced(group, buffer):
    """A future of the mean of a flat tensor."""
    group = group_or_default(group)
    mean = buffer / group.size()
    work = collectives.all_reduce(mean, group=group, async_op=True)
    return work.get_future().then(lambda future: future.value()[0])


def allreduce_hook(process_group, bucket):
    """The mean of a bucket: what is done without a hook.

    process_group: which ranks; None: all
    bucket: a ``GradBucket``
    """
    return reduced(process_group, bucket.buffer())


def compressed(process_group, bucket, dtype):
    buffer = bucket.buffer()
    return reduced(process_group, buffer.to(dtype)).then(lambda future: future.value().to(buffer.dtype))


def fp16_compress_hook(process_group, bucket):
    """The mean of a bucket, which travels as float16.

    process_group, bucket: as for :func:`allreduce_hook`
    """
    return compressed(process_group, bucket, dtypes.float16)


def bf16_compress_hook(process_group, bucket):
    """The mean of a bucket, which travels as bfloat16.

    process_group, bucket: as for :func:`allreduce_hook`
    """
    return compressed(process_group, bucket, dtypes.bfloat16)


def in_dtype(hook, dtype):
    """Another hook, which sees the bucket in a dtype."""
    @functools.wraps(hook)
    def wrapped(state, bucket):
        buffer = bucket.buffer()
        bucket.set_buffer(buffer.to(dtype))
        future = hook(state, bucket)
        bucket.set_buffer(buffer)
        return future.then(lambda done: first(done.value()).to(buffer.dtype))
    return wrapped


def first(value):
    """A tensor that may stand in a list."""
    return value[0] if isinstance(value, (list, tuple)) else value


def fp16_compress_wrapper(hook):
    """Another hook, whose bucket is float16.

    hook: what reduces it
    """
    return in_dtype(hook, dtypes.float16)


def bf16_compress_wrapper(hook):
    """Another hook, whose bucket is bfloat16.

    hook: what reduces it
    """
    return in_dtype(hook, dtypes.bfloat16)
