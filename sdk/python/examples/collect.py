"""Creates a survey and three responses, filters and exports them, and deletes the survey.

Settings: CANVASS_URL, and two of CANVASS_USERNAME, CANVASS_PASSWORD and CANVASS_API_KEY. Run: python collect.py
"""

from canvass_client import Canvass, CanvassError

dishes = [{"label": label} for label in ("Soup", "Curry", "Pizza")]
questions = [
    {"idname": "single-choice", "id": "meal", "title": "What shall we order?", "children": [{"choices": dishes}]},
    {"idname": "text-response", "id": "notes", "title": "Anything to know?", "children": [{}]},
]

with Canvass() as canvass:
    v3 = canvass.v3
    survey = v3.create_survey(body={"name": "Lunch on Friday"})
    v3.update_structure(survey.id, body={"title": "Lunch on Friday", "form": [{"children": questions}]})

    for meal in ("Soup", "Curry", "Curry"):
        v3.create_response(survey.id, body={"meal": meal, "notes": "no onions"})

    for response in v3.paginate.list_responses(survey.id, answers={"meal": "Curry"}):
        print(f"response {response.id} wants curry")

    for record in v3.csv_records(survey.id, include_labels=True):
        print(record["meal"])

    try:
        v3.create_response(survey.id, body={"meal": "Cake"})
    except CanvassError as error:
        print(error.status, error.code, error.field_errors)

    v3.delete_survey(survey.id)
