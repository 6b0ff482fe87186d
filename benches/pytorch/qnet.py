"""The graph Q-network of crates/solo-nn in PyTorch, with the same names, so that weight files fit both.

`forward` takes any graphs; `dense` the same network for complete bipartite graphs of one size, where sums over edges are
sums over an axis. Both have the first edge layer factored by the ends of an edge, as ours has.
"""

import torch
from torch import nn
from torch.nn.functional import leaky_relu, linear

LEAK = 0.01


class Network(nn.Module):
    """Layers with leaky ReLU, then a layer norm."""

    def __init__(self, inputs, hidden, layers):
        super().__init__()
        self.layers = layers
        for i in range(layers):
            self.add_module(str(i), nn.Linear(inputs if i == 0 else hidden, hidden))
        self.norm = nn.LayerNorm(hidden)

    def after_first(self, x):
        """From the sums of the first layer on."""
        x = leaky_relu(x, LEAK)
        for i in range(1, self.layers):
            x = leaky_relu(getattr(self, str(i))(x), LEAK)
        return self.norm(x)

    def parts(self, h):
        """The first layer's weight, cut into parts of `h` inputs, and its bias."""
        first = getattr(self, "0")
        return first.weight.split(h, dim=1), first.bias


class Qnet(nn.Module):
    def __init__(self, shape, hidden, layers, encoder, decoder, dueling, mean):
        super().__init__()
        self.hidden, self.encoder_passes, self.decoder_passes = hidden, encoder, decoder
        self.dueling, self.mean = dueling, mean
        kinds = ("edge", "node", "global")
        self.embedding = nn.ModuleDict({k: nn.Linear(shape[k], hidden) for k in kinds})
        sizes = {"edge": 4, "node": 3, "global": 3}
        block = lambda depth: nn.ModuleDict({k: Network(sizes[k] * hidden, hidden, depth) for k in kinds})
        self.encoder = block(layers)
        if decoder > 1:
            self.decoder = block(1)
        self.output = nn.ModuleDict(
            {
                "edge": nn.Linear(4 * hidden, 1),
                "node": nn.Linear(2 * hidden + 1, 1),
                "global": nn.Linear(hidden + 2, 2 if dueling else 1),
            }
        )

    def blocks(self):
        return [self.encoder] * self.encoder_passes + (
            [self.decoder] * (self.decoder_passes - 1) if self.decoder_passes > 1 else []
        )

    # Any graphs: rows of all graphs one after the other.

    def forward(self, node, edge, glob, ends, node_graph, edge_graph):
        """The raw outputs of edges and graphs. `ends` is [2, edges]."""
        h = self.hidden
        v, e, w = (
            leaky_relu(self.embedding[k](x), LEAK) for k, x in (("node", node), ("edge", edge), ("global", glob))
        )
        at_node = lambda x: self.gather(torch.cat((x, x)), torch.cat((ends[0], ends[1])), v.shape[0])
        for block in self.blocks():
            (we, ws, wd, wg), bias = block["edge"].parts(h)
            first = linear(v, ws)[ends[0]] + linear(v, wd)[ends[1]] + linear(w, wg, bias)[edge_graph]
            e = block["edge"].after_first(linear(e, we) + first)
            (wv, wa, wg), bias = block["node"].parts(h)
            v = block["node"].after_first(linear(v, wv) + linear(at_node(e), wa) + linear(w, wg, bias)[node_graph])
            graphs = w.shape[0]
            x = torch.cat((w, self.gather(e, edge_graph, graphs), self.gather(v, node_graph, graphs)), 1)
            w = block["global"].after_first(getattr(block["global"], "0")(x))
        out = self.output
        e = out["edge"](torch.cat((e, v[ends[0]], v[ends[1]], w[edge_graph]), 1))
        v = out["node"](torch.cat((v, at_node(e), w[node_graph]), 1))
        graphs = w.shape[0]
        w = out["global"](torch.cat((w, self.gather(e, edge_graph, graphs), self.gather(v, node_graph, graphs)), 1))
        return e[:, 0], w

    def gather(self, rows, index, count):
        """The sum, or the mean, of the rows of each index."""
        total = torch.zeros(count, rows.shape[1]).index_add(0, index, rows)
        if self.mean:
            number = torch.zeros(count).index_add(0, index, torch.ones(index.shape[0]))
            total = total / number.clamp(min=1)[:, None]
        return total

    def values(self, edge, glob, legal):
        """The values of one graph's slots from its raw outputs."""
        q = torch.cat((edge, glob[-1:]))
        return q + glob[0] - q[legal].mean() if self.dueling else q

    # Complete bipartite graphs of one size: left [B, n, .], right [B, m, .], edge [B, n, m, .], glob [B, .].

    def dense(self, left, right, edge, glob):
        h = self.hidden
        embed = lambda k, x: leaky_relu(self.embedding[k](x), LEAK)
        a, b, e, w = embed("node", left), embed("node", right), embed("edge", edge), embed("global", glob)
        for block in self.blocks():
            (we, ws, wd, wg), bias = block["edge"].parts(h)
            first = (linear(a, ws) + linear(w, wg, bias)[:, None])[:, :, None] + linear(b, wd)[:, None]
            e = block["edge"].after_first(linear(e, we) + first)
            (wv, wa, wg), bias = block["node"].parts(h)
            term = linear(w, wg, bias)[:, None]
            a = block["node"].after_first(linear(a, wv) + linear(e.sum(2), wa) + term)
            b = block["node"].after_first(linear(b, wv) + linear(e.sum(1), wa) + term)
            x = torch.cat((w, e.sum((1, 2)), a.sum(1) + b.sum(1)), 1)
            w = block["global"].after_first(getattr(block["global"], "0")(x))
        out = self.output
        we, ws, wd, wg = out["edge"].weight.split(h, dim=1)
        first = (linear(a, ws) + linear(w, wg, out["edge"].bias)[:, None])[:, :, None] + linear(b, wd)[:, None]
        e = linear(e, we) + first
        wv, wa, wg = out["node"].weight.split((h, 1, h), dim=1)
        term = linear(w, wg, out["node"].bias)[:, None]
        a = linear(a, wv) + e.sum(2) * wa + term
        b = linear(b, wv) + e.sum(1) * wa + term
        w = out["global"](torch.cat((w, e.sum((1, 2)), a.sum(1) + b.sum(1)), 1))
        q = torch.cat((e.flatten(1), w[:, -1:]), 1)
        return q + w[:, :1] - q.mean(1, keepdim=True) if self.dueling else q
