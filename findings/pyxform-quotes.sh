#!/bin/bash
# Package: pyxform 4.5.0 (PyPI), the reference converter of XLSForms.
# Expected: the texts that people read, such as labels, hints, messages and the labels of choices, stay as they are typed.
# Seen on 2026-11-28: the typographic quotes ‘ ’ “ ” of these texts become ' and ", because pyxform replaces them in all
#   cells, and not only in expressions. It does so in French and Ukrainian too, where the apostrophe is part of words.
# For Canvass: its import keeps the quotes of texts, so a form that is converted by both tools has different labels.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

python3 -m venv .
bin/pip install --quiet --disable-pip-version-check pyxform==4.5.0
cat > form.md <<'FORM'
| survey  |
|         | type          | name | label                  | hint              | constraint | constraint_message |
|         | text          | tea  | Don’t you say “tea”?   | L’été, ‘le thé’   | . != 'x'   | It’s “needed”      |
|         | select_one yn | milk | М’яко?                 |                   |            |                    |
| choices |
|         | list_name     | name | label                  |
|         | yn            | a    | I don’t know           |
FORM
bin/xls2xform --skip_validate form.md form.xml >/dev/null 2>&1
diff <(grep -oE '<(label|hint)>[^<]+|jr:constraintMsg="[^"]+' form.xml) - <<'SEEN' || { echo 'pyxform-quotes: the behaviour has changed (see above)' >&2; exit 1; }
<label>I don't know
jr:constraintMsg="It's &quot;needed&quot;
<label>Don't you say "tea"?
<hint>L'été, 'le thé'
<label>М'яко?
SEEN
echo 'pyxform-quotes: as described'
