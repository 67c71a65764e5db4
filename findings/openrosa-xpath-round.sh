#!/bin/bash
# Package: openrosa-xpath-evaluator 2.0.13 (npm), which computes the expressions of XForms in Enketo's web forms; with the
#   XPath 1.0 functions of jsdom 29.1.1 (npm) beside it.
# Expected: round() of a number that lies between two integers is the greater one, as XPath 1.0 says, on which the functions
#   of XForms are built: round(-2.5) is -2. A day that does not exist is no date.
# Seen on 2026-11-28: round(-2.5) is -3. With two arguments as well: round(-1.5, 0) is -2. 30 February becomes 2 March.
# For Canvass: its calculations round halves away from zero as well (src/domain/structure/round.ts), so that an imported form
#   has the results of Enketo, and other results than in a program that follows XPath.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-fund --no-audit --ignore-scripts openrosa-xpath-evaluator@2.0.13 jsdom@29.1.1
cat > compute.cjs <<'PROGRAM'
const { JSDOM } = require('jsdom')
const { window } = new JSDOM('<form/>', { contentType: 'text/xml' })
const { document, Document, Element, HTMLDocument, Node, XPathEvaluator, XPathResult } = window
Object.assign(globalThis, { window, document, Document, Element, HTMLDocument, Node, XPathEvaluator, XPathResult })
const form = require('openrosa-xpath-evaluator')()

for (const expression of ['round(2.5)', 'round(-2.5)', 'round(-2.4)']) {
  const xpath = document.evaluate(expression, document, null, XPathResult.NUMBER_TYPE).numberValue
  console.log(expression, form.evaluate(expression, document, null, XPathResult.NUMBER_TYPE).numberValue, 'XPath', xpath)
}
for (const expression of ['round(-1.5, 0)', "string(date('2026-02-28'))", "string(date('2026-02-30'))"])
  console.log(expression, form.evaluate(expression, document, null, XPathResult.STRING_TYPE).stringValue)
PROGRAM
diff <(node compute.cjs) - <<'SEEN' || { echo 'openrosa-xpath-round: the behaviour has changed (see above)' >&2; exit 1; }
round(2.5) 3 XPath 3
round(-2.5) -3 XPath -2
round(-2.4) -2 XPath -2
round(-1.5, 0) -2
string(date('2026-02-28')) 2026-02-28
string(date('2026-02-30')) 2026-03-02
SEEN
echo 'openrosa-xpath-round: as described'
