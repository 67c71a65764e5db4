from canvass_client import Canvass

# Reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.
v2 = Canvass().v2
# Streams the rows, whatever their number.
for record in v2.csv_records(14, meta_completed=["1"], include_labels=True):
    print(record["_id"], record["q1"])
