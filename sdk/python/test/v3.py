"""Uses version 3 through the installed package. Raises if an assertion fails."""

import base64
import hmac
import json
import os
import re
import time

import httpx
from canvass_client import (
    APIConnectionError,
    Canvass,
    CanvassError,
    NotFoundError,
    PreconditionFailedError,
    RateLimitError,
    csv_records,
    webhooks,
)
from canvass_client.v3.models import SubmittedResponse, Survey


def error_of(call):
    try:
        call()
    except CanvassError as error:
        return error
    raise AssertionError("no error was raised")


labels = ["Soup", "Curry", "Pizza"]
choices = [{"label": label} for label in labels]
questions = [
    {"idname": "single-choice", "id": "meal", "title": "What?", "children": [{"choices": choices}]},
    {"idname": "text-response", "id": "notes", "title": "Notes?", "children": [{}]},
    {"idname": "text-response", "id": "age", "title": "Age?", "children": [{"validation": {"kind": "integer"}}]},
]

canvass = Canvass()
v3 = canvass.v3
survey = v3.create_survey(body={"name": "Lunch on Friday"})
assert isinstance(survey, Survey) and survey.name == "Lunch on Friday" and survey.created_at.tzinfo is not None
assert v3.update_structure(survey.id, body={"title": "Lunch", "form": [{"children": questions}]}) == "OK"

ids = []
for n in range(25):
    body = {"meal": n % 3, "notes": f'line one\nsaid "{n}", ü, 汉', "age": n, "_completed": 1}
    ids.append(v3.create_response(survey.id, body=SubmittedResponse.from_dict(body) if n % 2 else body).id)

# Pagination yields every response once, in order.
assert [response.meta_id for response in v3.paginate.list_responses(survey.id, page_size=4)] == ids

answers = {"meal": "Curry", "age": {">=": 4, "<": 13}}
meta = {"completed": 1, "created_at": {">": "2001-01-01"}}
matches = v3.paginate.list_responses(survey.id, answers=answers, **meta, include_labels=True, page_size=2)
assert [(int(response["age"]), response["meal"]) for response in matches] == [(4, "Curry"), (7, "Curry"), (10, "Curry")]
assert v3.list_responses(survey.id, completed=0).count == v3.list_responses(survey.id, meta_completed=["0"]).count == 0
page = v3.list_responses(survey.id, page_size=3)
assert "page=1" in page.next and page.results[0].id == page.results[0].meta_id == ids[0]

# The change feed.
feed = v3.paginate.list_response_changes(survey.id, page_size=4)
assert [change.response_id for change in feed if change.kind == "created"] == ids
later = v3.paginate.list_response_changes(survey.id, since=feed.cursor, include="response")
v3.update_response(survey.id, ids[0], body={"notes": "edited"})
assert [(change.kind, change.response["notes"]) for change in later] == [("edited", "edited")]
assert later.cursor != feed.cursor

# Status, headers and other properties of an HTTP response, and options of a call.
read = v3.with_response(v3.get_settings, survey.id)
assert read.status == 200 and read.retries == 0 and read.request_id and not read.data.redirect_url
etag = read.headers["ETag"]
v3.update_settings(survey.id, if_match=etag, body={"redirect_url": "https://example.org/thanks"})
error = error_of(lambda: v3.update_settings(survey.id, if_match=etag, body={}))
assert isinstance(error, PreconditionFailedError) and error.code == "precondition_failed" and not error.maybe_applied
template = {"name": "Lunch", "structure": {"title": "Lunch"}}
assert v3.create_template(body=template, idempotency_key="k").id == v3.create_template(body=template, idempotency_key="k").id

some = ids[3:6]
records = list(v3.csv_records(survey.id, include_labels=True, ids=some))
expected = [(str(id), labels[n], f'line one\nsaid "{n + 3}", ü, 汉') for n, id in enumerate(some)]
assert [(record["_id"], record["meal"], record["notes"]) for record in records] == expected
# An iterator that is dropped closes the connection.
rows = v3.csv_rows(survey.id)
assert next(rows)[1] == "_id"
del rows
assert v3.export_csv(survey.id, include=["meal"]).split("\r\n")[0].endswith(",meal")

error = error_of(lambda: v3.create_response(survey.id, body={"meal": "Cake"}))
assert error.status == 400 and error.field_errors[0].field == "meal" and error.request_id and "meal" in str(error)
error = error_of(lambda: v3.convert_xlsform(b"no workbook"))
assert error.code == "invalid_xlsform" and error.field_errors[0].code == "not_a_workbook"
feedback = b'{"title": "Feedback", "pages": [{"elements": [{"type": "text", "name": "why"}]}]}'
assert v3.preview_import(feedback).title == "Feedback"
assert v3.import_survey(feedback, name="Moved").title == "Feedback"
error = error_of(lambda: v3.get_survey(999_999))
assert isinstance(error, NotFoundError) and error.code == "survey_not_found" and error.field_errors == []
assert error_of(lambda: list(v3.csv_rows(999_999))).status == 404
assert error_of(lambda: v3.create_survey(body={})).field_errors[0].field == "name"

ben = v3.create_contact(body={"name": "Ben", "email": "ben@example.org", "team": "blue"})
assert ben["team"] == "blue"
assert v3.import_contacts("name,email\r\nZoë,zoe@example.org\r\n").created == 1
people = csv_records([v3.export_contacts().encode()])
assert sorted(person["name"] for person in people) == ["Ben", "Zoë"]

hook = v3.create_webhook(body={"event": "response_complete", "subscription_url": os.environ["RECEIVER_URL"]})
assert hook.secret.startswith("whsec_")
now, message = int(time.time()), "id=1&name=Zo%C3%AB"


def signed_at(sent):
    key = base64.b64decode(hook.secret.removeprefix("whsec_"))
    signature = base64.b64encode(hmac.digest(key, f"msg_1.{sent}.{message}".encode(), "sha256")).decode()
    return {"Webhook-Id": "msg_1", "webhook-timestamp": str(sent), "webhook-signature": f"v1,AAAA v0,ü v1,{signature}"}


assert webhooks.verify(hook.secret, signed_at(now), message)
assert webhooks.verify(hook.secret, signed_at(now), message.encode())
assert not webhooks.verify(hook.secret, signed_at(now), message + "!")
assert not webhooks.verify(hook.secret, signed_at(now - 600), message)
assert not webhooks.verify(hook.secret, signed_at("soon"), message)
assert not webhooks.verify(hook.secret, {}, message)
for text in ("id=1&name=Zo%C3%AB", "a=1"):
    try:
        webhooks.unwrap(text, signed_at(now), hook.secret)
        raise AssertionError("no error was raised")
    except webhooks.WebhookVerificationError:
        pass
message = "score=3&_id=7&id=7&_key=k&_created_at=a&meal=Soup+%26+more&name=x&email=y&report_url=z&" + "&".join(
    f"{name}=b" for name in "invite_email invite_name language referrer created_at survey_name updated_at survey_url".split()
)
event = webhooks.unwrap(message.encode(), signed_at(now), ["whsec_AAAA", hook.secret])
assert isinstance(event, webhooks.ResponseCompleteEvent) and event.type == "response_complete" and event.id == "msg_1"
assert event.data["meal"] == "Soup & more" and event.data.survey_name == "b" and event.timestamp.timestamp() == now

# The same account with its API key, through a proxy that first replies with 429 and 503.
url, password = os.environ["PROXY_URL"], os.environ["CANVASS_PASSWORD"]
with Canvass(url, api_key=os.environ["API_KEY"], password=password) as busy:
    assert busy.v3.get_survey(survey.id).name == "Lunch on Friday"
    with Canvass(url, api_key=os.environ["API_KEY"], password=password, max_retries=0) as without_retries:
        error = error_of(lambda: without_retries.v3.list_surveys())
        assert error.status == 503 and error.code == "http_error" and error.body == "busy"
    error = error_of(lambda: busy.v3.list_surveys())
    assert isinstance(error, RateLimitError) and error.retry_after == 3600
    # A truncated file raises.
    try:
        assert all(len(row) == 2 for row in busy.v3.csv_rows(survey.id))
        raise AssertionError("the truncated file did not raise")
    except APIConnectionError:
        pass
with Canvass(username="ann", password="pässwörd") as unauthenticated:
    assert error_of(lambda: unauthenticated.v3.get_index()).status == 401
try:
    Canvass(username="ann")
    raise AssertionError("incomplete credentials were accepted")
except ValueError as error:
    assert "Credentials" in str(error)

tokens = []
spy = httpx.MockTransport(lambda request: tokens.append(request.headers["authorization"]) or httpx.Response(401))
with Canvass(token="cvt_1", transport=spy) as application:
    assert error_of(lambda: application.v3.get_index()).status == 401
assert tokens == ["Bearer cvt_1"]


# Responses of other servers raise; new enum values of a newer service are passed through.
def client_with(status=200, **answer):
    def answer_it(request):
        assert re.match(r"canvass-client-python/4\.\d+\.\d+ canvass-api/3\.\d+\.\d+ httpx/", request.headers["user-agent"])
        return httpx.Response(status, **answer)

    return Canvass(token="cvt_1", max_retry_delay=0.01, transport=httpx.MockTransport(answer_it)).v3


error = error_of(lambda: client_with(html="<p>Welcome").get_survey(1))
assert "200 the response is not from Canvass" in str(error) and error.body == "<p>Welcome"
error = error_of(lambda: client_with(502, json={"errors": "many", "description": [1], "code": 7}).get_survey(1))
assert error.code == "http_error" and error.field_errors == []
change = {"seq": 1, "kind": "merged", "response_id": 1, "at": "2026-01-31T00:00:00Z", "response_uri": ""}
changes = {"results": [change], "next_cursor": "a", "more": False}
assert client_with(json=changes).list_response_changes(1).results[0].kind == "merged"
some = v3.get_response(survey.id, ids[1])
assert str(some.get("age")) == "1" and some.get("unasked", "nothing") == "nothing"

v3.delete_contact(ben.id)
assert v3.delete_response(survey.id, ids[0]) == "OK"
canvass.close()
print(json.dumps({"survey": survey.id, "webhook": hook.id}))
