"""Training with parameters in parts, a checkpoint of it, and uneven inputs: under leafward and under PyTorch."""
import sys
import tempfile
from importlib import import_module

from tests.distributed import training_cases as cases


def in_parts(torch, model, size):
    if size > 1:
        fsdp = import_module(f"{torch.__name__}.distributed.fsdp")
        mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (size,))
        for layer in model[0], model[2], model[4], model:
            fsdp.fully_shard(layer, mesh=mesh)
    return model


def fully_sharded(torch, rank, size, dtype):
    model = in_parts(torch, cases.filled(torch, cases.mlp(torch), dtype), size)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    return cases.train(torch, model, dtype, rank, size, optimizer=optimizer)


def saved_and_loaded(torch, rank, size, later=False):
    """The values that a model of zeros has after it was loaded, by the first rank's folder; ``later``: saved in a thread."""
    checkpoint = import_module(f"{torch.__name__}.distributed.checkpoint")
    folder = [tempfile.mkdtemp() if rank == 0 else None]
    torch.distributed.broadcast_object_list(folder, 0)
    model = in_parts(torch, cases.filled(torch, cases.mlp(torch), "float64"), size)
    if later:
        own = torch.distributed.new_group()            # calls of two threads have no order within one group
        future = checkpoint.async_save({"model": model.state_dict(), "n": 5}, checkpoint_id=folder[0], process_group=own)
        work = torch.distributed.all_reduce(torch.ones(2), async_op=True)        # training goes on meanwhile
        future.result()
        work.wait()
    else:
        checkpoint.save({"model": model.state_dict(), "n": 5}, checkpoint_id=folder[0])
    other = in_parts(torch, cases.mlp(torch).double(), size)
    state = {"model": other.state_dict(), "n": 0}
    checkpoint.load(state, checkpoint_id=folder[0])
    other.load_state_dict(state["model"])
    return [p.full_tensor().tolist() for p in other.parameters()], state["n"]


def uneven(torch, rank, size):
    model = torch.nn.parallel.DistributedDataParallel(cases.filled(torch, cases.mlp(torch), "float64"))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with model.join():
        for number in range(2 + rank):
            optimizer.zero_grad()
            model(torch.from_numpy(cases.draws("float64", 3, 6, seed=10 * rank + number))).square().mean().backward()
            optimizer.step()
    return [p.tolist() for p in model.parameters()]


def thin_products(torch, rank, size, dtype):
    """PowerSGD of one column, beginning with the same columns on both sides."""
    powersgd = import_module(f"{torch.__name__}.distributed.algorithms.ddp_comm_hooks.powerSGD_hook")
    model = torch.nn.parallel.DistributedDataParallel(cases.filled(torch, cases.mlp(torch), dtype))

    def hook(state, bucket):
        matrices = [(number, p) for number, p in enumerate(bucket.parameters()) if p.dim() > 1]
        columns = [torch.from_numpy(cases.draws(dtype, p.shape[1], 1, seed=p.shape[0])) for _, p in matrices]
        if state.iter >= 2 and torch.__name__ == "torch" and bucket.index() not in state.q_memory_dict:
            rows = sum([p.shape[0] for _, p in matrices])
            state.p_memory_dict[bucket.index()] = torch.zeros(rows, dtype=getattr(torch, dtype))
            state.q_memory_dict[bucket.index()] = torch.cat([column.reshape(-1) for column in columns])
        elif torch.__name__ != "torch":
            for (number, _), column in zip(matrices, columns, strict=True):
                state.thin.setdefault((bucket.index(), number), column)
        return powersgd.powerSGD_hook(state, bucket)
    model.register_comm_hook(powersgd.PowerSGDState(None, 1, start_powerSGD_iter=2, min_compression_rate=1), hook)
    return cases.train(torch, model, dtype, rank, size)


def run(torch, rank, size):
    return {"losses": {dtype: fully_sharded(torch, rank, size, dtype) for dtype in ("float32", "float64")},
            "thin": {dtype: thin_products(torch, rank, size, dtype) for dtype in ("float32", "float64")},
            "checkpoint": saved_and_loaded(torch, rank, size), "saved later": saved_and_loaded(torch, rank, size, later=True),
            "uneven": uneven(torch, rank, size)}


if __name__ == "__main__":
    from tests.distributed import gloo
    gloo.main(run, sys.argv)
