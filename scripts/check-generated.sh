#!/bin/bash
# Generates generated/ from openapi/ and fails if it differs from the committed files.
set -euo pipefail
before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
cp -R generated/. "$before"
node scripts/generate.ts >/dev/null
if ! diff -rq "$before" generated; then
  echo 'generated/ was out of date and has been generated again. Review it (git diff generated/) and commit it.' >&2
  exit 1
fi
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  untracked=$(git ls-files --others --exclude-standard generated)
  if [ -n "$untracked" ]; then
    echo "Not committed: $untracked. Run: git add generated" >&2
    exit 1
  fi
fi
