# Reads a file with a program: read-data.py PROGRAM FILE. Prints what it read as JSON.
import datetime
import decimal
import json
import math
import sys


def plain(cell):
    """Returns a value as JSON: None if it is missing, a date or time as the file for statistics programs writes it."""
    if cell is None or isinstance(cell, float) and math.isnan(cell) or str(cell) in ("NaT", "<NA>"):
        return None
    if isinstance(cell, (datetime.datetime, datetime.date, datetime.time)):
        return str(cell).replace("T", " ").replace("+00:00", "")
    if isinstance(cell, decimal.Decimal):
        return float(cell)
    return cell.item() if hasattr(cell, "item") else cell


def key(value):
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def pyreadstat_file(file):
    import pyreadstat

    read = pyreadstat.read_dta if file.endswith(".dta") else pyreadstat.read_sav
    data, meta = read(file, disable_datetime_conversion=True, output_format="dict")
    return pyreadstat.__version__, {
        "names": meta.column_names,
        "labels": meta.column_names_to_labels,
        "measures": meta.variable_measure,
        "formats": meta.original_variable_types,
        "values": {name: [[key(value), label] for value, label in labels.items()]
                   for name, labels in meta.variable_value_labels.items()},
        "sets": meta.mr_sets,
        "title": meta.file_label,
        "encoding": meta.file_encoding,
        "cases": meta.number_rows,
        "rows": rows_of(data, meta.number_rows),
    }


def pandas_file(file):
    import pandas

    with pandas.read_stata(file, convert_categoricals=False, preserve_dtypes=False, iterator=True) as reader:
        data = reader.read()
        return pandas.__version__, {
            "names": list(data.columns),
            "labels": reader.variable_labels(),
            "values": {name: [[key(value), label] for value, label in labels.items()]
                       for name, labels in reader.value_labels().items()},
            "title": reader.data_label,
            "cases": len(data),
            "rows": rows_of({name: list(data[name]) for name in data.columns}, len(data)),
        }


def pyarrow_file(file):
    import pyarrow
    from pyarrow import parquet

    table = parquet.read_table(file)
    meta = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    return pyarrow.__version__, {
        "names": table.column_names,
        "types": {field.name: str(field.type) for field in table.schema},
        "metadata": meta,
        "cases": table.num_rows,
        "groups": parquet.ParquetFile(file).num_row_groups,
        "rows": rows_of({name: table[name].to_pylist() for name in table.column_names}, table.num_rows),
    }


def duckdb_file(file):
    import duckdb

    result = duckdb.sql(f"select * from read_parquet('{file}')")
    rows = result.fetchall()
    meta = duckdb.sql(f"select decode(key), decode(value) from parquet_kv_metadata('{file}')").fetchall()
    return duckdb.__version__, {
        "names": result.columns,
        "types": {name: str(kind) for name, kind in zip(result.columns, result.types)},
        "metadata": dict(meta),
        "cases": len(rows),
        "rows": [dict(zip(result.columns, map(plain, row))) for row in rows],
    }


def rows_of(columns, count):
    return [{name: plain(cells[row]) for name, cells in columns.items()} for row in range(count)]


PROGRAMS = {"pyreadstat": pyreadstat_file, "pandas": pandas_file, "pyarrow": pyarrow_file, "duckdb": duckdb_file}
version, content = PROGRAMS[sys.argv[1]](sys.argv[2])
print(json.dumps({"version": version, **content}, default=str))
