from canvass_client import Canvass

# Reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.
v3 = Canvass().v3
# Streams the rows, whatever their number.
for record in v3.csv_records(14, meta_completed=["1"], include_labels=True):
    print(record["_id"], record["q1"])
