"""Runs the samples whose paths are on standard input, and prints the output or the error of each as JSON."""

import io
import json
import runpy
import sys
import traceback
from contextlib import redirect_stdout

for line in sys.stdin:
    result: dict[str, str] = {}
    with redirect_stdout(io.StringIO()) as output:
        try:
            runpy.run_path(line.strip())
        except Exception:
            result["error"] = traceback.format_exc()
    print(json.dumps({"output": output.getvalue(), **result}), flush=True)
