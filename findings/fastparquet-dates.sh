#!/bin/bash
# Package: fastparquet 2026.9.0 (PyPI), which pandas can use instead of pyarrow; with a file of hyparquet-writer 0.17.0 (npm).
# Expected: a date is read as it was written, or the reader says that it cannot represent it. pyarrow 26.0.1, polars 2.1.0
#   and DuckDB 2.0.1 read all of these dates.
# Seen on 2026-11-28: dates are counted in nanoseconds, and beyond 1677 and 2262 the count overflows without an error: the
#   last day of 9999, with which many programs say “no end”, is a day in 1816. Times of day are numbers.
# For Canvass: its Parquet files write dates in this way. A date question can be limited to the dates that make sense.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

python3 -m venv .
bin/pip install --quiet --disable-pip-version-check fastparquet==2026.9.0 pandas==3.1.1 pyarrow==26.0.1
npm install --silent --no-fund --no-audit hyparquet-writer@0.17.0
cat > write.mjs <<'PROGRAM'
import { writeFileSync } from 'node:fs'
import { parquetWriteBuffer } from 'hyparquet-writer'

const day = { name: 'day', type: 'INT32', converted_type: 'DATE', repetition_type: 'OPTIONAL' }
const data = ['1969-07-20', '1500-01-01', '9999-12-31'].map((date) => new Date(date))
const file = parquetWriteBuffer({ columnData: [{ name: 'day', data }], schema: [{ name: 'root', num_children: 1 }, day] })
writeFileSync('days.parquet', Buffer.from(file))
PROGRAM
node write.mjs
cat > read.py <<'PROGRAM'
import fastparquet
import pyarrow.parquet

for read, written in zip(fastparquet.ParquetFile("days.parquet").to_pandas().day, pyarrow.parquet.read_table("days.parquet")["day"]):
    print(f"pyarrow {written}, fastparquet {read:%Y-%m-%d}")
PROGRAM
diff <(bin/python read.py) - <<'SEEN' || { echo 'fastparquet-dates: the behaviour has changed (see above)' >&2; exit 1; }
pyarrow 1969-07-20, fastparquet 1969-07-20
pyarrow 1500-01-01, fastparquet 2084-07-20
pyarrow 9999-12-31, fastparquet 1816-03-29
SEEN
echo 'fastparquet-dates: as described'
