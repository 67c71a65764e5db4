from canvass_client import Canvass

# Reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.
v3 = Canvass().v3
cursor = {}  # store it for the next run
more = True
while more:
    changes = v3.list_response_changes(14, **cursor)
    for change in changes.results:
        print(change.kind, change.response_id)
    cursor = {"since": changes.next_cursor}
    more = changes.more
