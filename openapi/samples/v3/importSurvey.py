from pathlib import Path

from canvass_client import Canvass

# Reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.
v3 = Canvass().v3
moved = v3.import_survey(Path("survey.json").read_bytes())
for note in moved.notes:
    print(note.message)
# The survey is closed until it is published.
print(moved.survey_uri)
