"""Checked with mypy, never run: it accepts valid structures and calls, and reports each planted mistake."""

from canvass_client import APIResponse, Canvass, CanvassError, OtherKind, webhooks
from canvass_client.v3.dicts import StructureInputDict, StructureQuestionDict, UntitledStructureDict
from canvass_client.v3.models import Structure, Survey

canvass = Canvass()
v3 = canvass.v3

valid: StructureInputDict = {
    "title": {"en": "Lunch", "fr": "Repas"},
    "languages": [{"code": "en", "name": "English", "isDefault": True}],
    "uniques": [],
    "quotas": [{"name": "soups", "limit": 10, "action": "close", "when": {"question": "meal", "op": "eq", "value": 0}}],
    "form": [
        {
            "type": "page",
            "children": [
                {"idname": "section-separator", "title": "Welcome"},
                {"idname": "single-choice", "id": "meal", "children": [{"choices": [{"label": "Soup", "score": 2}]}]},
                {"idname": "text-response", "title": {"en": "Why?"}, "validation": {"kind": "email"}},
                {
                    "idname": "single-choice-grid",
                    "choices": [{"label": "Good"}],
                    "children": [{"label": "Price", "required": True}],
                    "condition": {"any": [{"question": "meal", "op": "answered"}]},
                },
                {"idname": OtherKind("map"), "title": "Where?"},
            ],
            "skip": [{"to": "complete", "when": {"question": "meal", "op": "eq", "value": 0}}],
        },
        {"idname": "net-promoter", "leftLabel": "Never"},
        {"idname": "number", "min": 0, "max": 120, "decimals": 0, "unit": {"en": "years"}},
        {"idname": "email", "children": [{"required": True}]},
        {"idname": "rating", "children": [{"steps": 5, "rightLabel": "Great"}]},
        {
            "idname": "multiple-choice-grid",
            "choices": [{"label": "Home"}],
            "children": [{"type": "multiple", "label": "Tablet"}],
        },
        {
            "idname": "image-choice",
            "multiple": True,
            "choices": [{"label": "A", "image": {"url": "https://images.example.org/a.jpg", "alt": "A cup"}}],
        },
        {"idname": "file-upload", "maxFiles": 2, "maxSize": 5, "fileTypes": ["image", "pdf"]},
        {"idname": "signature", "required": True},
        {"idname": "random-group", "choices": [{"label": "Short"}, {"label": "Long", "weight": 2}]},
        {"idname": "constant-sum", "total": 10, "unit": "points", "children": [{"type": "number", "label": "Rent"}]},
        {"idname": "consent", "statement": {"en": "I agree"}, "version": "2026-01"},
        {"idname": "calculation", "expression": "sum(1, 2)", "decimals": 1},
        {"idname": "slider", "min": 0, "max": 10, "step": 0.5},
    ],
}
v3.create_template(body={"name": "Lunch", "structure": valid})
v3.update_structure(1, body={"title": "Lunch", "form": [{"children": [{"idname": "ranking", "title": "Order?"}]}]})
v3.update_structure(1, body={"structure": {"title": "Lunch", "form": valid["form"]}})
canvass.v2.create_survey(body={"name": "Lunch", "title": "Lunch", "form": [{"idname": "datetime", "format": "date"}]})

# A structure from the service can be changed and sent back.
structure = v3.get_structure(1)
assert isinstance(structure, Structure)
structure.form[0]["children"].append({"idname": "net-promoter"})
v3.update_structure(1, body={"form": [*structure.form]})


def update(question: StructureQuestionDict) -> None:
    v3.update_structure(1, body={"title": "Lunch", "form": [{"children": [question]}]})


# Filters, options of a call and metadata of its response.
v3.list_responses(1, completed=1, created_at={">": "2026-01-31"}, invite_code=["a", "b"], filter="completed", timeout=5)
v3.list_responses(1, meta_completed=["1"], filter_="completed")
v3.create_survey(body={"name": "Lunch", "live": 0}, idempotency_key="a", max_retries=0)
v3.create_response(1, body={"meal": "Curry", "_completed": 1, "extras": [0, 2]})
v3.create_contact(body={"name": "Ann", "email": "ann@example.org", "team": "blue", "age": 44})
reply: APIResponse[Survey] = v3.with_response(v3.get_survey, 1, max_retries=5)
name: str = reply.data.name


def handle(error: CanvassError, event: webhooks.WebhookEvent) -> str | None:
    if error.code == "survey_not_found" or str(error.code) == "code_of_a_newer_service":
        return error.request_id
    if event.type == "contact_create":
        return event.data.email
    return event.data.survey_name if isinstance(event, webhooks.ResponseCompleteEvent) else None


untitled: UntitledStructureDict = {}
# Mistakes: every line that ends with a comment has an error.
untitled = {"form": [{"childern": []}]}  # a misspelt member of a page
update({"idname": "singel-choice", "title": "What?"})  # a misspelt question type
update({"idname": "single-choice", "children": [{"choises": [{"label": "Soup"}]}]})  # a misspelt member of an option
update({"idname": "text-response", "title": 5})  # a number as the title
update({"idname": "ranking", "choices": [{"score": 1}]})  # a choice without a label
update({"idname": "multiple-choice", "children": [{"choices": {"label": "Soup"}}]})  # an object instead of a list
update({"idname": "text-response", "validation": {"kind": "e-mail"}})  # a validation of an unknown kind
update({"idname": "datetime", "required": "yes"})  # a text instead of a boolean
update({"idname": "section-separator", "validation": {"kind": "email"}})  # a setting of another question type
v3.create_template(body={"name": "Lunch", "structure": {"title": 5}})  # a number as the title of the survey
v3.update_structure(1, body={"title": "Lunch", "form": [{"childern": []}]})  # a misspelt member in a whole body
canvass.v2.create_survey(body={"form": [{"idname": "ranking", "children": [{"choises": []}]}]})  # in version 2
v3.create_survey(body={"nmae": "Lunch"})  # a misspelt member of a survey
v3.create_survey(body={"name": "Lunch", "live": 2})  # a value that is not one of the choices
v3.update_settings(1, body={"max_responses": "four"})  # a text instead of a number
v3.create_webhook(body={"event": "response_completed", "subscription_url": ""})  # a misspelt event
v3.create_contact_list(body={"name": 5})  # a number as the name of a list
v3.create_response(1, body={"meal": {"soup"}})  # a set as an answer
v3.list_responses(1, created_at={"after": "2026-01-31"})  # an unknown operator
v3.list_responses(1, complete=1)  # a misspelt parameter
v3.get_survey(1, idempotency_key="a")  # a key for a call that creates nothing
v3.with_response(v3.get_survey, "1")  # a text as the ID


def mistakes(error: CanvassError, event: webhooks.WebhookEvent) -> None:
    print(error.code == "survey_not_fuond")  # a misspelt code
    print(event.type == "response_completed")  # a misspelt name of an event
    print(event.data.email)  # a member of one event only
