"""Requests that match the contract, but that the service must reject: at least one for each rejection that generated
requests do not cause reliably.

With them, a run with the fixed seed uses every entry of refusals.json that is still true. fuzz.ts can therefore
report an unused entry as no longer needed. Each provocation replaces one generated request of an operation.
"""

from base64 import urlsafe_b64encode

from objects import OBJECT_IDS, create, first, new_object, send


# The Idempotency-Key that two requests with different bodies use.
REUSED_KEY = "reused"


def query(**values):
    def change(case):
        case.query = values

    return change


def members(**values):
    def change(case):
        case.body = values

    return change


def secret_for_another_address(case):
    case.path_parameters["survey_id"] = survey = new_object("survey_id", {})
    settings = {"endpoint_uri": "https://id.example.com/", "client_id": "a", "client_secret": "secret"}
    send("PUT", f"/v3/surveys/{survey}/settings/", {"custom_authentication": settings})
    case.body = {"custom_authentication": {"endpoint_uri": "https://other.example.com/"}}


def several_pages(case):
    """Selects the demonstration survey, which has several pages."""
    case.path_parameters["survey_id"] = OBJECT_IDS["survey_id"][3]


def empty_list(case):
    invitation = {name: value for name, value in case.body.items() if name in ("subject", "sender", "message")}
    case.body = {**invitation, "contact_list": new_object("list_id", {})}


def unknown_time_zone(case):
    case.path_parameters["survey_id"] = first("survey_id")
    case.query = {"question": "q1", "time_zone": "Europe/Nowhere"}


def text_over_time(case):
    case.path_parameters["survey_id"] = first("survey_id")
    case.query = {"question": "q3"}


def weights(question, is_new=False):
    """Weights a question of the example survey, or of a new survey without responses."""

    def change(case):
        choices = [{"label": "Yes"}, {"label": "No"}]
        form = [{"children": [{"idname": "single-choice", "id": "q1", "title": "?", "children": [{"choices": choices}]}]}]
        new = {"name": "Without responses", "initial_structure": {"title": "A", "form": form}}
        case.path_parameters["survey_id"] = create("/v3/surveys/", new) if is_new else first("survey_id")
        targets = [{"choice": 0, "percentage": 40}, {"choice": 1, "percentage": 60}]
        case.body = {"questions": [{"question": question, "targets": targets}]}
        # Without weights, any If-Match fails.
        for name in [name for name in case.headers if name.lower() == "if-match"]:
            del case.headers[name]

    return change


def key_of_another_request(case):
    key = {"Idempotency-Key": REUSED_KEY}
    send("POST", "/v3/contact-lists/", {"name": "First"}, key)
    case.headers.update(key)
    case.body = {"name": "Second"}


def range_of_an_empty_file(case):
    case.path_parameters["survey_id"] = new_object("survey_id", {})
    case.query = {}
    for name in [name for name in case.headers if name.lower() in ("if-range", "if-none-match")]:
        del case.headers[name]
    case.headers["Range"] = "bytes=100-"


def file_of_no_type(case):
    """Sends a file that is neither an image nor a workbook. The hook `file` does not replace it, because the sum of its bytes
    is 35 (35 % 4 is 3)."""
    case.body = "#"


# The changes of requests, by operation. The URL of exportCsv with 20,000 characters is too long for Node.js, which accepts at
# most 16 KB.
PROVOCATIONS = {
    "createEmail": [members(subject="A", sender="Ann <\u00ad.ann@example.org>", message="[Invite Link]")],
    "createContactList": [key_of_another_request],
    "createFile": [file_of_no_type],
    "createImage": [file_of_no_type],
    # The generator treats this character as a letter, but Unicode has not assigned it.
    "createGroup": [members(name="\u20fa")],
    "createResponse": [several_pages, members(_unknown=1), members(q1=9), members(q9=1), members(q1=1, _collector=999_999)],
    "createUser": [members(email="weak@example.org", username="weak", password="password")],
    "createSurveyInviteCodes": [members()],
    "deleteUser": [members(password="not the password")],
    "exportJsonLines": [range_of_an_empty_file],
    "exportCsv": [
        query(include=["a" * 20_000]),
        query(include=["q9"]),
        query(language="xx"),
        query(filter="no filter"),
        query(tab_separated=True, comma_separated=True),
    ],
    # The second cursor is for survey 1, but after its last change.
    "listResponseChanges": [query(since="AAAA"), query(since=urlsafe_b64encode(b"1:999999:1").decode().rstrip("="))],
    "getTrend": [unknown_time_zone, text_over_time],
    "setWeighting": [weights("q2"), weights("q1", is_new=True)],
    "saveFilter": [members(name="a", query="&"), members(name="a", query="q9=1")],
    "sendEmail": [query(scheduled="1000w")],
    "sendSurveyInvites": [empty_list],
    "updateSettings": [
        members(open_at="2030-01-02", close_at="2030-01-01"),
        members(password=True),
        members(redirect_url="http://"),
    ],
    "updateSurveyTexts": [members(texts={"en": {"progress": "No placeholder"}})],
    "updateTheme": [members(accent_color="#ffffff", background_color="#ffffff"), members(logo="AAAA"), members(logo="A" * 699_996), members(cover="AAAA"), members(font_file="AAAA"), members(font_file="A" * 699_996)],
}

# Requests that only JSON can express.
JSON_PROVOCATIONS = {
    "createTemplate": [
        members(name="A", structure={"title": "\0", "form": []}),
        members(name="A", structure={"title": "A", "form": [], "__proto__": 1}),
    ],
    "updateSettings": [secret_for_another_address],
}


def provoke(case):
    """Changes a request, if its operation has a provocation that was not used yet."""
    operation = case.operation.definition.raw["operationId"]
    if case.media_type == "application/json" and JSON_PROVOCATIONS.get(operation):
        JSON_PROVOCATIONS[operation].pop()(case)
    elif PROVOCATIONS.get(operation) and case.media_type != "text/csv":
        PROVOCATIONS[operation].pop()(case)
