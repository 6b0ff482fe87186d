#!/usr/bin/env bash
# Networks alone on all scenarios: writes networks/*.jsonl and networks/*.md. It can be interrupted and continued. Inside searches
# they are in suites/paper.toml and suites/ablation.toml.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
solo=${SOLO:-target/release/solo}
data=data/scenarios
out=$here/networks
mkdir -p "$out"

table() { # name, then the arguments of simulate
  local name=$1
  shift
  "$solo" simulate "$@" --record "$out/$name.jsonl" --markdown --no-picture > "$out/$name.md"
  echo "$name"
}

rules() {
  case $1 in
    pmsp*) echo --agent wspt ;;
    cvrp-dispatch*) echo --agent nearest --agent savings --agent hold ;;
    cvrp*) echo --agent distance --agent savings ;;
  esac
}

reference() {
  case $1 in
    pmsp-online*) echo --reference $data/pmsp-references.csv:resolve-annealing ;;
    pmsp*) echo --reference $data/pmsp-references.csv:best-known ;;
  esac
}

presets="pmsp-20 pmsp-80 pmsp-online-3 pmsp-online-10 cvrp-20 cvrp-50 cvrp-100 cvrp-online-20 cvrp-online-50 cvrp-online-100
  cvrp-dispatch-20 cvrp-dispatch-50 cvrp-dispatch-100"

for preset in $presets; do
  # shellcheck disable=SC2046
  table alone-$preset $data/$preset.jsonl $(reference $preset) --agent qnet $(rules $preset)
done
