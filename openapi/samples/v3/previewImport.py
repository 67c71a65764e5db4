from pathlib import Path

from canvass_client import Canvass

# Reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.
v3 = Canvass().v3
preview = v3.preview_import(Path("survey.json").read_bytes())
print(preview.title, preview.responses)
for note in preview.notes:
    print(note.message)
