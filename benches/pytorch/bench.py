"""Times the network in PyTorch. Reads a case a line, as JSON, and answers with seconds by variant, as JSON.

`solo-bench nn --against PYTHON benches/pytorch/bench.py` talks to it; `cargo xtask bench-nn` sets everything up. All times
are the shortest of several rounds. Variants:

    rows      any graphs, sums by index
    dense     complete bipartite graphs of one size, sums over an axis
    traced    dense, traced, frozen and optimised for inference
    compiled  dense, by torch.compile
"""

import json
import logging
import sys
import time
import warnings

import torch
from torch.nn.functional import huber_loss

from qnet import Qnet

ROUNDS, SECONDS, AT_MOST = 100, 0.002, 1.0  # as in bench_nn.rs


def best(work):
    """The shortest mean time of a call in several rounds."""
    for _ in range(3):
        work()
    shortest, begin = float("inf"), time.perf_counter()
    for turn in range(ROUNDS):
        if turn >= 3 and time.perf_counter() - begin > AT_MOST:
            break
        count, start = 0, time.perf_counter()
        while (passed := time.perf_counter() - start) < SECONDS or count == 0:
            work()
            count += 1
        shortest = min(shortest, passed / count)
    return shortest


def network(case):
    shape = {kind: case[kind] for kind in ("node", "edge", "global")}
    form = {key: case[key] for key in ("hidden", "layers", "encoder", "decoder", "dueling", "mean")}
    return Qnet(shape, **form)


def dense_inputs(case):
    batch, n, m = case["batch"], case["left"], case["right"]
    shapes = (batch, n, case["node"]), (batch, m, case["node"]), (batch, n, m, case["edge"]), (batch, case["global"])
    return [torch.rand(shape) * 2 - 1 for shape in shapes]


def infer(case):
    net = network(case).eval()
    n, m = case["left"], case["right"]
    inputs = dense_inputs(case)
    left, right, edge, glob = (x[0] for x in inputs)
    ends = torch.tensor([(a, n + b) for a in range(n) for b in range(m)]).T.contiguous()
    legal = torch.arange(n * m + 1)
    node_graph, edge_graph = torch.zeros(n + m, dtype=torch.long), torch.zeros(n * m, dtype=torch.long)
    node, edge, glob = torch.cat((left, right)), edge.reshape(n * m, -1), glob[None]

    def rows():
        e, w = net(node, edge, glob, ends, node_graph, edge_graph)
        return net.values(e, w[0], legal)

    class Dense(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.net = net

        def forward(self, *inputs):
            return self.net.dense(*inputs)

    times = {}
    with torch.inference_mode():
        expected = rows()
        assert torch.allclose(net.dense(*inputs)[0], expected, rtol=1e-3, atol=1e-3)
        times["rows"] = best(rows)
        times["dense"] = best(lambda: net.dense(*inputs))
    with torch.no_grad():
        traced = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(Dense().eval(), inputs)))
        for _ in range(20):
            traced(*inputs)
        times["traced"] = best(lambda: traced(*inputs))
        if case.get("compile"):
            torch._dynamo.reset()
            compiled = torch.compile(Dense().eval())
            times["compiled"] = best(lambda: compiled(*inputs))
    return times


def train(case):
    inputs = dense_inputs(case)
    target = torch.rand(case["batch"])
    times = {}
    for variant in ["dense"] + ["compiled"] * bool(case.get("compile")):
        net = network(case)
        adam = torch.optim.Adam(net.parameters(), lr=1e-3, fused=True)

        def loss():
            return huber_loss(net.dense(*inputs)[:, 0], target)

        if variant == "compiled":
            torch._dynamo.reset()
            loss = torch.compile(loss)

        def step():
            adam.zero_grad(set_to_none=True)
            loss().backward()
            adam.step()

        times[variant] = best(step)
    return times


def peak(_):
    """Multiply-adds of a large product, as seconds for 10^9 operations."""
    a, b = torch.rand(512, 512), torch.rand(512, 512)
    return {"sgemm": best(lambda: torch.mm(a, b)) / (2 * 512**3) * 1e9}


def main():
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    for line in sys.stdin:
        case = json.loads(line)
        torch.set_num_threads(case["threads"])
        torch.manual_seed(0)
        times = {"infer": infer, "train": train, "peak": peak}[case["kind"]](case)
        print(json.dumps({"times": times, "version": torch.__version__}), flush=True)


if __name__ == "__main__":
    main()
