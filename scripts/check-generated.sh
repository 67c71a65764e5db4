#!/bin/bash
# Makes generated/ anew and compares: what is committed must be what openapi/ says, no file more, no file less.
set -euo pipefail
before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
cp -R generated/. "$before"
node scripts/generate.ts >/dev/null
if ! diff -rq "$before" generated; then
  echo 'generated/ did not fit openapi/. It does now: look at it (git diff generated/) and commit it.' >&2
  exit 1
fi
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  forgotten=$(git ls-files --others --exclude-standard generated)
  if [ -n "$forgotten" ]; then
    echo "Not committed yet: $forgotten. Run: git add generated" >&2
    exit 1
  fi
fi
