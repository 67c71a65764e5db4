"""Uses version 2 through the installed package. Raises if an assertion fails."""

import json
import os

from canvass_client import Canvass, CanvassError


def error_of(call):
    try:
        call()
    except CanvassError as error:
        return error
    raise AssertionError("no error was raised")


choices = [{"label": label} for label in ("Soup", "Curry", "Pizza")]
questions = [
    {"idname": "single-choice", "id": "meal", "title": "What?", "children": [{"required": True, "choices": choices}]},
    {"idname": "text-response", "id": "notes", "title": "Notes?", "children": [{}]},
]

with Canvass() as canvass:
    v2 = canvass.v2
    assert v2.get_current_user().user.username == os.environ["CANVASS_USERNAME"]
    survey = v2.create_survey(body={"title": "Lunch on Friday", "form": [{"children": questions}]})

    bodies = [{"meal": str(n % 3), "notes": f'a, "b"\n{n}'} for n in range(7)]
    ids = [v2.create_response(survey.id, body=body).id for body in bodies]
    assert v2.import_responses(survey.id, 'meal,notes\r\n1,"imported, quoted"\r\n2,"ü"\r\n').imported == 2

    seen = [response.meta_id for response in v2.paginate.list_responses(survey.id, limit=2)]
    assert seen[:7] == ids and len(seen) == 9
    curries = [one["meal"] for one in v2.paginate.list_responses(survey.id, answers={"meal": 1}, include_labels=True)]
    assert curries == ["Curry"] * 3

    notes = [record["notes"] for record in v2.csv_records(survey.id)]
    assert notes[6] == 'a, "b"\n6' and len(notes) == 9

    error = error_of(lambda: v2.create_response(survey.id, body={"notes": "hungry"}))
    assert error.status == 500 and error.code == "survey_error" and error.request_id
    assert [one.field for one in error.field_errors] == ["meal"]
    error = error_of(lambda: v2.get_survey(999_999))
    assert error.code == "survey_not_found" and error.field_errors == []

    contact = v2.create_contact(body={"name": "Ann", "email": "ann@example.org"}).contact
    assert "Ann" in [one.name for one in v2.paginate.list_contacts(limit=1)]
    assert isinstance(v2.list_webhooks().webhooks, list)

    assert v2.set_survey_status(survey.id, switch="closed").status == "closed"
    assert v2.delete_contact(contact.id).success is True
    v2.delete_responses(survey.id, response_ids=ids[:2])
print(json.dumps({"survey": survey.id}))
