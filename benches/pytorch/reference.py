"""Makes crates/solo-nn/tests/data/*.safetensors: networks, graphs, and PyTorch's values and gradients for them.

    target/pytorch/bin/python benches/pytorch/reference.py

Weights and features are made without PyTorch's generator, so that the files do not change with its version.
"""

import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch.nn.functional import huber_loss

from qnet import Qnet

SHAPE = {"node": 6, "edge": 2, "global": 3}
FORMS = {
    "plain": dict(hidden=16, layers=3, encoder=4, decoder=1, dueling=False, mean=False),
    "dueling": dict(hidden=32, layers=2, encoder=2, decoder=2, dueling=True, mean=True),
}
# Nodes and edges: complete bipartite, a star, no edge at all.
GRAPHS = [
    (7, [(a, b) for a in range(5) for b in (5, 6)]),
    (10, [(0, b) for b in range(1, 10)]),
    (3, []),
]


class Noise:
    """A linear congruential generator: uniform in [-1, 1), multiples of 2^-15."""

    def __init__(self, seed):
        self.state = seed

    def one(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 48) / 2**15 - 1

    def tensor(self, *shape):
        count = 1
        for size in shape:
            count *= size
        return torch.tensor([self.one() for _ in range(count)]).reshape(shape)


def make(name, form, folder):
    noise = Noise(1)
    net = Qnet(SHAPE, **form)
    with torch.no_grad():
        for key, parameter in net.named_parameters():
            wide = 1 / parameter.shape[1] ** 0.5 if parameter.dim() == 2 else 0.25
            parameter.copy_(noise.tensor(*parameter.shape) * wide)
            if key.endswith("norm.weight"):
                parameter.add_(1)
    vectors, losses, errors = {}, [], []
    for number, (nodes, edges) in enumerate(GRAPHS):
        node, edge = noise.tensor(nodes, SHAPE["node"]), noise.tensor(len(edges), SHAPE["edge"])
        glob = noise.tensor(1, SHAPE["global"])
        ends = torch.tensor(edges, dtype=torch.long).reshape(-1, 2).T.contiguous()
        slots = len(edges) + 1
        legal = torch.tensor([slot for slot in range(slots) if slot % 3 != 1 or slots == 1])
        zeros = lambda count: torch.zeros(count, dtype=torch.long)
        raw_edge, raw_global = net(node, edge, glob, ends, zeros(nodes), zeros(len(edges)))
        values = net.values(raw_edge, raw_global[0], legal)
        slot, target, weight = int(legal[len(legal) // 2]), float(number - 1), 1 + number / 2
        losses.append(weight * huber_loss(values[slot], torch.tensor(target), delta=1.0))
        errors.append(values[slot] - target)
        for key, value in dict(node=node, edge=edge, **{"global": glob}, values=values).items():
            vectors[f"{number}.{key}"] = value.detach().contiguous()
        vectors[f"{number}.ends"] = ends.T.to(torch.int32).contiguous()
        vectors[f"{number}.legal"] = legal.to(torch.int32)
        vectors[f"{number}.sample"] = torch.tensor([slot, target, weight])
    loss = torch.stack(losses).mean()
    loss.backward()
    vectors["loss"], vectors["errors"] = loss.detach().reshape(1), torch.stack(errors).detach()
    for key, parameter in net.named_parameters():
        vectors[f"gradient.{key}"] = parameter.grad
    pairs = {f"{k}_features": v for k, v in SHAPE.items()} | {k: v for k, v in form.items() if k != "mean"}
    pairs["aggregate"] = "mean" if form["mean"] else "sum"
    metadata = {f"solo.{k}": str(v).lower() for k, v in pairs.items()}
    save_file({k: p.detach() for k, p in net.named_parameters()}, folder / f"{name}-weights.safetensors", metadata)
    save_file(vectors, folder / f"{name}-vectors.safetensors", {"pytorch": torch.__version__})


if __name__ == "__main__":
    torch.set_num_threads(1)
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2] / "crates/solo-nn/tests/data")
    folder.mkdir(parents=True, exist_ok=True)
    for name, form in FORMS.items():
        make(name, form, folder)
