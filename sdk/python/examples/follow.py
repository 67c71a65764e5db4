"""Prints changes to the responses of a survey since a cursor.

Run: python follow.py <survey id> [cursor]
"""

import sys

from canvass_client import Canvass, GoneError

survey = int(sys.argv[1])


def follow(canvass: Canvass, since: str | None) -> str | None:
    """Prints the changes since a cursor, and returns the next cursor."""
    feed = canvass.v3.paginate.list_response_changes(survey, **({"since": since} if since else {}))
    for change in feed:
        print(change.at.isoformat(), change.kind, change.response_id)
    return feed.cursor


with Canvass() as canvass:
    try:
        cursor = follow(canvass, sys.argv[2] if len(sys.argv) > 2 else None)
    except GoneError:
        print("The service was restored from a backup. Starting again.")
        cursor = follow(canvass, None)

print(f"Next run: python follow.py {survey} {cursor}")
