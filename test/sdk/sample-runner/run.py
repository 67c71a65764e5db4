"""Runs the samples it is told to, one a line, and says of each what it printed or why it failed."""

import io
import json
import runpy
import sys
import traceback
from contextlib import redirect_stdout

for line in sys.stdin:
    said: dict[str, str] = {}
    with redirect_stdout(io.StringIO()) as printed:
        try:
            runpy.run_path(line.strip())
        except Exception:
            said["error"] = traceback.format_exc()
    print(json.dumps({"printed": printed.getvalue(), **said}), flush=True)
