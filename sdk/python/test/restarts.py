"""Writes and reads while the server is killed and restarted. Prints what it did as JSON; raises if a call fails."""

import asyncio
import json

from canvass_client import AsyncCanvass, NotFoundError

WRITERS = 4
WRITES = 40
retries = 0


async def write(canvass, survey, writer):
    """Creates, edits and deletes responses of one writer."""
    global retries
    v2, v3 = canvass.v2, canvass.v3
    for n in range(WRITES):
        meal = f"{writer}/{n}"
        reply = await v3.with_response(v3.create_response, survey, body={"meal": meal})
        retries += reply.retries
        created = reply.data.id
        if n % 4 == 1:
            await v3.update_response(survey, created, body={"meal": f"{meal} edited"})
        if n % 4 == 2:
            try:
                await v3.delete_response(survey, created)
            except NotFoundError as error:
                # An earlier attempt deleted the response, but the reply to that attempt did not arrive.
                if not error.maybe_applied:
                    raise
        if n % 10 == 3:
            await v2.import_responses(survey, f"meal\r\nimported {meal}\r\n")


async def follow(canvass, survey, writers):
    """Follows the feed until the writers are done and all changes have been read."""
    changes, cursor, last = [], None, False
    while not last:
        last = writers.done()
        feed = canvass.v3.paginate.list_response_changes(survey, page_size=7, **({"since": cursor} if cursor else {}))
        changes += [(change.kind, change.response_id) async for change in feed]
        cursor = feed.cursor
    return changes


async def main():
    async with AsyncCanvass(max_retries=300, max_retry_delay=1) as canvass:
        v3 = canvass.v3
        survey = (await v3.create_survey(body={"name": "Lunch"})).id
        question = {"idname": "text-response", "id": "meal", "title": "What?"}
        await v3.update_structure(survey, body={"title": "Lunch", "form": [{"children": [question]}]})
        writers = asyncio.gather(*(write(canvass, survey, writer) for writer in range(WRITERS)))
        changes = await follow(canvass, survey, writers)
        await writers
        listed = [(one.id, one["meal"]) async for one in v3.paginate.list_responses(survey, page_size=9)]
        exported = [record["meal"] async for record in v3.csv_records(survey)]
        print(json.dumps({"survey": survey, "changes": changes, "listed": listed, "exported": exported, "retries": retries}))


asyncio.run(main())
