"""Prints changes to the responses of a survey since a cursor.

Run: python follow.py <survey id> [cursor]
"""

import sys

from canvass_client import Canvass, CanvassError

survey = int(sys.argv[1])
cursor = sys.argv[2] if len(sys.argv) > 2 else None

with Canvass() as canvass:
    while True:
        since = {"since": cursor} if cursor else {}
        try:
            changes = canvass.v3.list_response_changes(survey, **since)
        except CanvassError as error:
            if error.code != "cursor_expired":
                raise
            print("The service was restored from a backup. Starting again.")
            cursor = None
            continue
        for change in changes.results:
            print(change.at.isoformat(), change.kind, change.response_id)
        cursor = changes.next_cursor
        if not changes.more:
            break

print(f"Next run: python follow.py {survey} {cursor}")
