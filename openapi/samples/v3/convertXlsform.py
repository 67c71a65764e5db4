from pathlib import Path

from canvass_client import Canvass

# Reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.
v3 = Canvass().v3
converted = v3.convert_xlsform(Path("household.xlsx").read_bytes())
for issue in converted.issues:
    print(issue.sheet, issue.row, issue.message)
survey = v3.create_survey(
    body={"name": "Household survey", "initial_structure": converted.structure.to_dict()}
)
print(survey.survey_structure_uri)
