#!/bin/bash
# Packages: duckdb 2.0.1 (PyPI), with a file of hyparquet-writer 0.17.0 (npm); pyarrow 26.0.1 (PyPI) as another reader.
# Expected: a column with the logical type STRING is text. The format has replaced converted types by logical types, and
#   asks readers to use the logical type.
# Seen on 2026-11-28: DuckDB reads the column as BLOB, unless it has the replaced converted type UTF8 as well. pyarrow
#   reads text in both cases. Comparing such a column with a text in SQL compares bytes.
# For Canvass: its Parquet files have both types on every column of texts.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

python3 -m venv .
bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 pyarrow==26.0.1
npm install --silent --no-fund --no-audit hyparquet-writer@0.17.0
cat > write.mjs <<'PROGRAM'
import { writeFileSync } from 'node:fs'
import { parquetWriteBuffer } from 'hyparquet-writer'

const city = { name: 'city', type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL', logical_type: { type: 'STRING' } }
for (const [name, column] of Object.entries({ logical: city, both: { ...city, converted_type: 'UTF8' } })) {
  const schema = [{ name: 'root', num_children: 1 }, column]
  const file = parquetWriteBuffer({ columnData: [{ name: 'city', data: ['Oslo', 'Bern'] }], schema })
  writeFileSync(`${name}.parquet`, Buffer.from(file))
}
PROGRAM
node write.mjs
cat > read.py <<'PROGRAM'
import duckdb
import pyarrow.parquet

for name in ["logical", "both"]:
    column = pyarrow.parquet.read_table(f"{name}.parquet").schema.field(0).type
    kind, value = duckdb.sql(f"select typeof(city), city from '{name}.parquet'").fetchall()[0]
    print(f"{name}: pyarrow {column}, duckdb {kind} {value!r}")
PROGRAM
diff <(bin/python read.py) - <<'SEEN' || { echo 'duckdb-parquet-string: the behaviour has changed (see above)' >&2; exit 1; }
logical: pyarrow string, duckdb BLOB b'Oslo'
both: pyarrow string, duckdb VARCHAR 'Oslo'
SEEN
echo 'duckdb-parquet-string: as described'
