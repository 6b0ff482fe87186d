#!/usr/bin/env bash
# Days that differ from what was taught and expected: writes robustness/*.jsonl, and the table robustness/README.md.
# "right" knows the law of the day, "wrong" believes in the unchanged preset; the guide is the unchanged preset's in both.
# usage: [DAYS=60] [BUDGET=2ms] [SOLO=target/release/solo] bash results/2026-11-16/robustness.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
solo=${SOLO:-target/release/solo}
days=${DAYS:-60}
budget=${BUDGET:-2ms}
out=$here/robustness
mkdir -p "$out"
table=$out/README.md
{
  echo "Means over $days generated days (seed 3000) at $budget a decision, and the difference to replanning by \`ruin@300r\` on the same days."
  echo
  echo "| day | ruin@300r | lookahead, right | lookahead, wrong | solo2, right | solo2, wrong | solo2, wrong, to replanning (95 %) |"
  echo "|---|---:|---:|---:|---:|---:|---:|"
} > "$table.part"

# run DAY LAW NAME: the agents' rows of the table that simulate prints.
run() {
  "$solo" simulate "$1" --law "$2" --trust-law --seed 3000 --episodes "$days" --threads "${THREADS:-1}" \
    --agent ruin@300r --agent "lookahead@$budget" --agent "solo2@$budget" \
    --record "$out/$3.jsonl" --markdown --no-picture | grep -E '^\| (ruin|lookahead|solo2)'
}
# cell ROWS AGENT COLUMN
cell() { awk -F' *\\| *' -v agent="$2" -v column="$3" 'index($2, agent) == 1 { print $column }' <<< "$1"; }

for day in \
  pmsp-online-3 pmsp-online-3:rate=0.5 pmsp-online-3:rate=1.5 pmsp-online-3-flipped pmsp-online-3:size=0.5 pmsp-online-3:size=2 \
  pmsp-online-3:machines=2 pmsp-online-10 pmsp-online-10:rate=0.5 pmsp-online-10:rate=1.5 pmsp-online-10-flipped \
  pmsp-online-10:machines=20 cvrp-dispatch-50 cvrp-dispatch-50:shift=0.15 cvrp-dispatch-50:customers=25 \
  cvrp-dispatch-50:customers=100; do
  preset=${day%%:*}
  preset=${preset%-flipped}
  name=${day//[:=]/-}
  right=$(run "$day" "$day" "$name-right")
  if [ "$day" = "$preset" ]; then wrong=$right; else wrong=$(run "$day" "$preset" "$name-wrong"); fi
  with() { echo "$(cell "$1" "$2" 3) ($(cell "$1" "$2" 4))"; }
  echo "| $day | $(cell "$right" ruin 3) | $(with "$right" lookahead) | $(with "$wrong" lookahead) | $(with "$right" solo2) |" \
    "$(with "$wrong" solo2) | $(cell "$wrong" solo2 5) |" >> "$table.part"
  echo "$day"
done
mv "$table.part" "$table"
