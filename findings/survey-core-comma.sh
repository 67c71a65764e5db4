#!/bin/bash
# Package: survey-core 3.1.1 (npm), the engine of SurveyJS.
# Expected: in a condition, a text answer such as 1,000 is either the number 1000 or no number.
# Seen on 2026-11-28: a comma is read as the decimal sign. 1,000 is the number 1, so that a respondent who writes a
#   thousand is not above 12, and 12,5 is. With a second comma it is no number.
# For Canvass: answers that are imported from SurveyJS keep their text, and a condition on such a text can be true there
#   and false here.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-fund --no-audit survey-core@3.1.1
cat > ask.mjs <<'PROGRAM'
import { Model } from 'survey-core'

for (const income of ['1000', '1,000', '12,5', '1.000', '1,000,000']) {
  const survey = new Model({ elements: [{ type: 'text', name: 'income' }] })
  survey.data = { income }
  console.log(income, survey.runExpression('{income} > 12'), survey.runExpression('{income} = 1'))
}
PROGRAM
diff <(node ask.mjs) - <<'SEEN' || { echo 'survey-core-comma: the behaviour has changed (see above)' >&2; exit 1; }
1000 true false
1,000 false true
12,5 true false
1.000 false true
1,000,000 false false
SEEN
echo 'survey-core-comma: as described'
