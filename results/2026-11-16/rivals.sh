#!/usr/bin/env bash
# Every rival at the table: writes rivals/*.jsonl (one line a finished day) and rivals/*.md (tables).
# It can be interrupted at any moment and continued by starting it again: finished days are not lived twice.
# Needs `cargo xtask rivals` and, for the X instances, the folder of CVRPLIB files as first argument.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
solo=${SOLO:-target/release/solo}
data=data/scenarios
out=$here/rivals
mkdir -p "$out"

table() { # name, then the arguments of simulate
  local name=$1
  shift
  "$solo" simulate "$@" --record "$out/$name.jsonl" --markdown --no-picture > "$out/$name.md" ||
    echo "$name: some days failed; start again to live them again"
  echo "$name"
}
agents() { for agent in "$@"; do printf -- '--agent\n%s\n' "$agent"; done; }

# ruin against PyVRP's references, one day at a time
mapfile -t list < <(agents ruin@25ms ruin@100ms ruin@500ms)
table kool-100 $data/kool-100.jsonl --episodes 60 --threads 1 --reference $data/kool-references.csv:pyvrp-10s "${list[@]}"
table kool-50 $data/kool-50.jsonl --episodes 100 --threads 1 --reference $data/kool-references.csv:pyvrp-4s --agent ruin@300ms
table kool-20 $data/kool-20.jsonl --episodes 100 --threads 1 --reference $data/kool-references.csv:pyvrp-1s --agent ruin@50ms

# scheduling against the best known
mapfile -t list < <(agents ruin@20ms ruin@100ms ruin@1s)
for n in 20 80; do
  table pmsp-$n $data/pmsp-$n.jsonl --reference $data/pmsp-references.csv:best-known --agent wspt "${list[@]}"
  table pmsp-$n-cpsat $data/pmsp-$n.jsonl --episodes 20 --reference $data/pmsp-references.csv:best-known \
    --agent wspt --agent cpsat@10s --agent cpsat-circuits@10s --agent ruin@100ms
done
for m in 3 10; do
  table pmsp-online-$m $data/pmsp-online-$m.jsonl --reference $data/pmsp-references.csv:resolve-annealing \
    --agent wspt --agent ruin@10ms
  table pmsp-online-$m-hindsight $data/pmsp-online-$m.jsonl \
    --reference $data/pmsp-references.csv:clairvoyant-annealing --agent hindsight@2s
done

# OR-Tools as the paper ran it
for n in 20 50 100; do
  table ortools-$n $data/cvrp-$n.jsonl --agent ortools@10s --agent savings --agent ruin@100ms
  table ortools-online-$n $data/cvrp-online-$n.jsonl --agent ortools@10s --agent savings --agent wait-all
done

# X instances
if [ $# -gt 0 ]; then
  for file in "$1"/*.vrp; do
    table x-"$(basename "$file" .vrp)" "$file" --reference "$here/x-best-known.csv:best-known" --agent ruin@10s --agent pyvrp@10s
  done
fi

# Replanned, as published (waiting is free) and where waiting costs: the first 20 days, 50 ms a plan
for n in 20 50 100; do
  for kind in dispatch online; do
    mapfile -t list < <(agents savings hold ruin@50ms 'ruin(replan=depot)@50ms' ortools \
      'ortools-gls@50ms' 'ortools-gls(replan=always)@50ms' 'pyvrp@50ms' 'pyvrp(replan=always)@50ms' wait-all hindsight@5s)
    table replan-$kind-$n $data/cvrp-$kind-$n.jsonl --episodes 20 --budget 10s "${list[@]}"
  done
done
