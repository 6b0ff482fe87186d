#!/usr/bin/env bash
# The searches: writes search/*.jsonl (one line a finished day) and search/*.md (tables).
# It can be interrupted at any moment and continued by starting it again: finished days are not lived twice.
# One day at a time, so that budgets by the clock are not shared. Arguments pick tables: uct, look, equal, curve.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
solo=${SOLO:-target/release/solo}
data=data/scenarios
out=$here/search
mkdir -p "$out"

table() { # name, then the arguments of simulate
  local name=$1
  shift
  "$solo" simulate "$@" --threads 1 --record "$out/$name.jsonl" --markdown --no-picture > "$out/$name.md"
  echo "$name"
}

# Algorithm 1 with rules as guides, all days
uct() {
  for m in 3 10; do
    table uct-pmsp-online-$m $data/pmsp-online-$m.jsonl --agent wspt --agent mcts+wspt@500r
  done
  table uct-pmsp-20 $data/pmsp-20.jsonl --reference $data/pmsp-references.csv:best-known \
    --agent wspt --agent mcts+wspt@2000r
  for n in 20 50 100; do
    table uct-cvrp-online-$n $data/cvrp-online-$n.jsonl --agent distance --agent mcts+distance@500r
  done
  table uct-pmsp-80 $data/pmsp-80.jsonl --reference $data/pmsp-references.csv:best-known \
    --agent wspt --agent 'mcts+wspt(k=5)@3000r'
}

# lookahead without a network, all days
look() {
  for m in 3 10; do
    table look-pmsp-online-$m $data/pmsp-online-$m.jsonl --reference $data/pmsp-references.csv:resolve-annealing \
      --agent wspt --agent ruin@10ms --agent lookahead@1ms --agent lookahead@10ms
  done
  for n in 20 50 100; do
    table look-dispatch-$n $data/cvrp-dispatch-$n.jsonl \
      --agent hold --agent ruin@10ms --agent lookahead@1ms --agent lookahead@10ms
  done
}

# lookahead against Algorithm 1 at equal time, the first 30 days. Offline days have one budget with lookahead, so it gets
# as much as the tree search takes in all.
equal() {
  for m in 3 10; do
    table equal-pmsp-online-$m $data/pmsp-online-$m.jsonl --episodes 30 --agent mcts+wspt@10ms --agent lookahead@10ms
  done
  for n in 20 50 100; do
    table equal-cvrp-online-$n $data/cvrp-online-$n.jsonl --episodes 30 --agent mcts+distance@10ms --agent lookahead@10ms
  done
  table equal-pmsp-20 $data/pmsp-20.jsonl --episodes 30 --agent mcts+wspt@10ms --agent lookahead@200ms
  table equal-pmsp-80 $data/pmsp-80.jsonl --episodes 30 --agent mcts+wspt@10ms --agent lookahead@800ms
  table equal-cvrp-20 $data/cvrp-20.jsonl --episodes 30 --agent mcts+distance@10ms --agent lookahead@200ms
  table equal-cvrp-50 $data/cvrp-50.jsonl --episodes 30 --agent mcts+distance@10ms --agent lookahead@500ms
  table equal-cvrp-100 $data/cvrp-100.jsonl --episodes 30 --agent mcts+distance@10ms --agent lookahead@1s
}

# what more time gives: the first 20 days up to 100 ms, the first 3 at 1 s
curve() {
  presets="pmsp-online-3 pmsp-online-10 cvrp-dispatch-20 cvrp-dispatch-50 cvrp-dispatch-100"
  upto="--agent ruin@10ms --agent lookahead@1ms --agent lookahead@10ms --agent lookahead@100ms"
  for preset in $presets; do table curve-$preset $data/$preset.jsonl --episodes 20 $upto; done
  for preset in $presets; do table curve-1s-$preset $data/$preset.jsonl --episodes 3 $upto --agent lookahead@1s; done
}

for part in "${@:-uct look equal curve}"; do
  for name in $part; do "$name"; done
done
