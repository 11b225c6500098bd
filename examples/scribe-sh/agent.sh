#!/bin/sh
# A scribe that knows nothing of Moorage: a loop, a signal and a file that says "alive".
set -u

texts=${TEXTS:-texts}
ending=
trap 'ending=yes' TERM INT

# The first sentence of each paragraph: what a paragraph is about mostly stands there.
summarise() {
  awk 'BEGIN { RS = "" } { gsub(/[ \t\n]+/, " "); match($0, /[^.!?]+[.!?]/); print "- " substr($0, RSTART, RLENGTH) }' "$1"
}

echo "working through $texts"
while [ -z "$ending" ]; do
  for text in "$texts"/*.txt; do
    summary=${text%.txt}.summary.md
    if [ -z "$ending" ] && [ -f "$text" ] && [ -z "$(find "$summary" -newer "$text" 2>/dev/null)" ]; then
      summarise "$text" >"$summary.draft" && mv "$summary.draft" "$summary"
      echo "${text##*/}: done"
    fi
  done
  : >.alive
  # In the background, so that the signal does not have to wait for it.
  sleep 2 &
  wait $!
done
echo "ending"
