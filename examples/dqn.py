"""Deep Q-learning (Mnih et al. 2015: replay memory, a target network) of a walk home over a windy grid.

    leafward run examples/dqn.py [steps]
"""
import copy
import random
import sys
from collections import deque

import torch
import torch.nn.functional as F
from torch import nn

SIZE, MOVES = 5, ((-1, 0), (1, 0), (0, -1), (0, 1))
DISCOUNT = 0.95


class Grid:
    """From anywhere to the corner (4, 4): each move costs 0.1, home pays 1; the wind in column 2 blows upwards."""

    def __init__(self, seed):
        self.draw = random.Random(seed)

    def reset(self):
        self.row, self.column, self.moves = self.draw.randrange(SIZE), self.draw.randrange(SIZE - 1), 0
        return self.view()

    def step(self, action):
        """``(view, reward, over)``"""
        down, right = MOVES[action]
        wind = -1 if self.column == 2 and self.draw.random() < 0.5 else 0
        self.row = min(max(self.row + down + wind, 0), SIZE - 1)
        self.column = min(max(self.column + right, 0), SIZE - 1)
        self.moves += 1
        home = self.row == self.column == SIZE - 1
        return self.view(), 1.0 if home else -0.1, home or self.moves == 40

    def view(self):
        return torch.tensor([self.row / (SIZE - 1), self.column / (SIZE - 1), float(self.column == 2)])


def play(network, grid, state, chance, draw):
    """One move: by chance any, else the best by ``network``."""
    if draw.random() < chance:
        action = draw.randrange(len(MOVES))
    else:
        with torch.no_grad():
            action = network(state).argmax().item()
    following, reward, over = grid.step(action)
    return (state, action, reward, following, over), grid.reset() if over else following


def main(steps):
    torch.manual_seed(0)
    draw, grid = random.Random(0), Grid(seed=1)
    network = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, len(MOVES)))
    target = copy.deepcopy(network).requires_grad_(False)
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3, amsgrad=True)
    memory, state = deque(maxlen=2000), grid.reset()
    for step in range(1, steps + 1):
        for _ in range(4 if memory else 64):
            move, state = play(network, grid, state, max(0.05, 1 - step / 300), draw)
            memory.append(move)

        states, actions, rewards, followings, overs = zip(*draw.sample(memory, 32))
        worth = network(torch.stack(states)).gather(1, torch.tensor(actions).unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            future = target(torch.stack(followings)).amax(dim=1).masked_fill(torch.tensor(overs), 0.0)
        loss = F.smooth_l1_loss(worth, torch.tensor(rewards) + DISCOUNT * future)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(target.parameters(), network.parameters()):
                slow.lerp_(fast, 0.02)
        print(f"step {step:3}  loss {loss.item():.6f}")
    state, home, moves = grid.reset(), 0, 0
    for _ in range(400):
        (_, _, reward, _, _), state = play(network, grid, state, 0.0, draw)
        moves, home = moves + 1, home + (reward > 0)
    print(f"{home} times home in {moves} moves")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 600)
