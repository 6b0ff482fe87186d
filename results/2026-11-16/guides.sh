#!/usr/bin/env bash
# Learned guides, alone and inside the search (solo2), beside the search without one: writes guides/*.jsonl and guides/*.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
solo=${SOLO:-target/release/solo}
data=data/scenarios
out=$here/guides
mkdir -p "$out"
for preset in pmsp-online-3 pmsp-online-10 cvrp-dispatch-20 cvrp-dispatch-50 cvrp-dispatch-100; do
  reference=()
  case $preset in pmsp*) reference=(--reference "$data/pmsp-references.csv:resolve-annealing") ;; esac
  "$solo" simulate $data/$preset.jsonl "${reference[@]}" --agent lookahead@10ms --agent guide --agent solo2@1ms --agent solo2@10ms \
    --record "$out/$preset.jsonl" --markdown --no-picture > "$out/$preset.md"
  echo "$preset"
done
