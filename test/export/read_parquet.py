"""Prints the rows of each of some Parquet files as JSON, every value as text: `read_parquet.py duckdb|pyarrow PATH...`"""

import json
import sys
from datetime import date, datetime
from decimal import Decimal


def text(value):
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime):
        return str(round(value.timestamp() * 1_000_000))
    return value.isoformat() if isinstance(value, date) else str(value)


def rows_of(reader, path):
    if reader == "duckdb":
        import duckdb

        session = duckdb.connect()
        session.execute("SET TimeZone = 'UTC'")
        return session.execute("SELECT * FROM read_parquet(?, hive_partitioning = false)", [path]).fetchall()
    import pyarrow.parquet

    table = pyarrow.parquet.ParquetFile(path).read()
    return list(zip(*(column.to_pylist() for column in table.columns)))


print(json.dumps({path: [[text(value) for value in row] for row in rows_of(sys.argv[1], path)] for path in sys.argv[2:]}))
