from canvass_client import Canvass

# It reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.
v3 = Canvass().v3
cursor = {}  # keep it, and begin there next time
more = True
while more:
    changes = v3.list_response_changes(14, **cursor)
    for change in changes.results:
        print(change.kind, change.response_id)
    cursor = {"since": changes.next_cursor}
    more = changes.more
