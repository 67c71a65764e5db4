#!/bin/bash
# Package: stopword 3.1.5 (npm), lists of words without a meaning of their own in 60 languages.
# Expected: the lists of different languages leave out the same kinds of words. Words for good and bad stay in all of them.
# Seen on 2026-11-28: the German, Swedish and Brazilian lists contain “good” and “better”, and the German list “bad”; the
#   English, French, Spanish and Italian lists contain none of them. Of 598 Korean entries, 96 are phrases of several words;
#   the function that removes words compares single words, so that these can never be found.
# For Canvass: the frequent words of texts keep the opinions of a list of our own (src/domain/response/coding/words.ts).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-fund --no-audit stopword@3.1.5
cat > ask.mjs <<'PROGRAM'
import * as lists from 'stopword'

const opinions = {
  eng: ['good', 'better', 'bad'],
  fra: ['bon', 'mieux', 'mauvais'],
  spa: ['bueno', 'mejor', 'malo'],
  ita: ['buono', 'meglio', 'cattivo'],
  deu: ['gut', 'besser', 'schlecht'],
  swe: ['bra', 'bättre', 'dålig'],
  porBr: ['bom', 'bem', 'mal'],
}
for (const [list, words] of Object.entries(opinions))
  console.log(`${list}: ${words.join(' ')} → ${lists.removeStopwords(words, lists[list]).join(' ') || 'none'}`)
console.log(`kor: ${lists.kor.filter((entry) => entry.includes(' ')).length} phrases of ${lists.kor.length}`)
PROGRAM
diff <(node ask.mjs) - <<'SEEN' || { echo 'stopword-opinions: the behaviour has changed (see above)' >&2; exit 1; }
eng: good better bad → good better bad
fra: bon mieux mauvais → bon mieux mauvais
spa: bueno mejor malo → bueno mejor malo
ita: buono meglio cattivo → buono meglio cattivo
deu: gut besser schlecht → none
swe: bra bättre dålig → dålig
porBr: bom bem mal → none
kor: 96 phrases of 598
SEEN
echo 'stopword-opinions: as described'
