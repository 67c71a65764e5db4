#!/bin/bash
# Package: ipfn 1.4.4 (PyPI), with pandas 3.1.1 and numpy 2.4.6: raking, which weights a sample to known margins.
# Expected: if a class of a margin has no case, the margins cannot be met. The function says that it has not converged.
# Seen on 2026-11-28: it says that it has converged (1 in the second place of its result, with `verbose=2`). The weights
#   add up to 4 people instead of 6, and the margin of the other question is missed as well: 2 and 2 instead of 3 and 3.
#   The table that was passed in is changed too: its weights are the new ones.
# For Canvass: weights for which a class has no response are refused, with the question and the class
#   (test/domain/report/raking.test.ts). People who compare them with this package compare the sums of the margins as well.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

python3 -m venv .
bin/pip install --quiet --disable-pip-version-check ipfn==1.4.4 pandas==3.1.1 numpy==2.4.6
cat > rake.py <<'PROGRAM'
import warnings

import pandas as pd
from ipfn import ipfn

warnings.filterwarnings("ignore")
sample = pd.DataFrame({"sex": list("mfmffm"), "age": list("yooyoy"), "total": [1.0] * 6})
untouched = sample.copy()
sex = pd.Series({"m": 3.0, "f": 3.0}).rename_axis("sex")
age = pd.Series({"y": 2.0, "o": 2.0, "very old": 2.0}).rename_axis("age")
table, converged, _ = ipfn.ipfn(sample, [sex, age], [["sex"], ["age"]], verbose=2).iteration()
print("converged", converged)
for margin in ["sex", "age"]:
    print({key: round(value, 3) for key, value in table.groupby(margin).total.sum().items()})
print("argument unchanged", sample.equals(untouched))
PROGRAM
diff <(bin/python rake.py | grep -v '^ipfn') - <<'SEEN' || { echo 'ipfn-empty-class: the behaviour has changed (see above)' >&2; exit 1; }
converged 1
{'f': 2.0, 'm': 2.0}
{'o': 2.0, 'y': 2.0}
argument unchanged False
SEEN
echo 'ipfn-empty-class: as described'
