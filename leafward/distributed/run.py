"""``python -m torch.distributed.run``: :mod:`leafward.distributed.launching` under PyTorch's name."""
import sys

from leafward.distributed.launching import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], "torchrun"))
