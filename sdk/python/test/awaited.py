"""Uses the async client. Raises if an assertion fails."""

import asyncio
import json

import httpx
from canvass_client import AsyncCanvass, Canvass, CanvassError

questions = [{"idname": "text-response", "id": name, "title": name, "children": [{}]} for name in ("meal", "notes")]
note = 'line one\nsaid "no", ü, 汉'


async def scenario(canvass):
    v2, v3 = canvass.v2, canvass.v3
    survey = await v3.create_survey(body={"name": "Lunch on Friday"})
    await v3.update_structure(survey.id, body={"title": "Lunch", "form": [{"children": questions}]})
    bodies = [{"meal": f"dish {n}", "notes": note} for n in range(12)]
    created = await asyncio.gather(*(v3.create_response(survey.id, body=body) for body in bodies))
    ids = sorted(one.id for one in created)

    # Pagination yields every response once, in order, in both versions.
    assert [one.meta_id async for one in v3.paginate.list_responses(survey.id, page_size=5)] == ids
    assert [one.meta_id async for one in v2.paginate.list_responses(survey.id, limit=5)] == ids
    matches = [one async for one in v3.paginate.list_responses(survey.id, answers={"meal": "dish 7"})]
    assert [one.get("notes") for one in matches] == [note]

    records = [record async for record in v3.csv_records(survey.id)]
    assert [int(record["_id"]) for record in records] == ids and {record["notes"] for record in records} == {note}
    rows = v3.csv_rows(survey.id)
    assert (await anext(rows))[1] == "_id"
    await rows.aclose()

    feed = v3.paginate.list_response_changes(survey.id, page_size=5)
    assert sorted([change.response_id async for change in feed]) == ids and feed.cursor
    read = await v3.with_response(v3.get_survey, survey.id, timeout=20)
    assert read.data.name == "Lunch on Friday" and read.headers["ETag"] and read.retries == 0

    try:
        await v3.get_survey(999_999)
        raise AssertionError("no error was raised")
    except CanvassError as error:
        assert error.code == "survey_not_found"
    try:
        await v3.convert_xlsform(b"no workbook")
        raise AssertionError("no error was raised")
    except CanvassError as error:
        assert error.code == "invalid_xlsform"
    feedback = b'{"title": "Feedback", "pages": [{"elements": [{"type": "text", "name": "why"}]}]}'
    assert (await v3.preview_import(feedback)).title == "Feedback"
    assert (await v3.import_survey(feedback)).title == "Feedback"
    assert (await v3.import_contacts("name,email\r\nZoé,zoe@example.net\r\n")).created == 1
    return survey.id


async def retries():
    """Requests are retried, and an export that arrives byte by byte is parsed."""
    answers = [httpx.Response(503, headers={"Retry-After": "0"}, text="busy"), httpx.Response(429), None]

    def answer(request):
        file = f'a,b\r\n"{note}","""{note}"\r\n1,'.encode().replace(b'said "no"', b'said ""no""')

        async def bytewise():
            for at in range(len(file)):
                yield file[at : at + 1]

        return answers.pop(0) or httpx.Response(200, content=bytewise())

    async with AsyncCanvass("http://x", token="cvt_1", transport=httpx.MockTransport(answer), retries=1, max_retry_delay=0.01) as canvass:
        try:
            await canvass.v3.list_surveys()
            raise AssertionError("no error was raised")
        except CanvassError as error:
            assert error.status == 429
        rows = [row async for row in canvass.v3.csv_rows(1)]
        assert rows == [["a", "b"], [note, f'"{note}'], ["1", ""]]


async def main():
    await retries()
    async with AsyncCanvass() as canvass:
        survey = await scenario(canvass)
    # Both clients have the same methods.
    pairs = [(Canvass().v2, canvass.v2), (Canvass().v3, canvass.v3)]
    for blocking, awaited in [*pairs, *((one.paginate, other.paginate) for one, other in pairs)]:
        assert [name for name in dir(blocking) if name[0] != "_"] == [name for name in dir(awaited) if name[0] != "_"]
    print(json.dumps({"survey": survey}))


asyncio.run(main())
