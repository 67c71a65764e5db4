"""Checked with mypy, never run: it accepts valid structures and reports each planted mistake."""

from canvass_client import Canvass, OtherKind
from canvass_client.v3.dicts import StructureInputDict, StructureQuestionDict, UntitledStructureDict
from canvass_client.v3.models import Structure

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
