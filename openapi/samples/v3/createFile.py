from pathlib import Path

from canvass_client import Canvass

# Reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.
v3 = Canvass().v3
content = Path("kitchen.png").read_bytes()
file = v3.create_file(14, content, question="photo", name="kitchen.png")
# The key is the answer to the question photo.
print(file.key)
