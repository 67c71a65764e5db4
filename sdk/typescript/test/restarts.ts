// Writes and reads while the server is killed and restarted. Prints what it did as JSON; throws if a call fails.
import { Canvass, NotFoundError } from 'canvass-client'

const WRITERS = 4
const WRITES = 40
const { v2, v3 } = new Canvass({ maxRetries: 300, maxRetryDelay: 1 })
let retries = 0

const created = await v3.surveys.create({ body: { name: 'Lunch' } }).withResponse()
const survey = created.data.id
const path = { survey_id: survey }
await v3.structure.update(survey, {
  body: { title: 'Lunch', form: [{ children: [{ idname: 'text-response', id: 'meal', title: 'What?' }] }] },
})

/** Creates, edits and deletes responses of one writer. */
async function write(writer: number): Promise<void> {
  for (let n = 0; n < WRITES; n += 1) {
    const meal = `${writer}/${n}`
    const reply = await v3.createResponse({ path, body: { meal } }).withResponse()
    retries += reply.retries
    const { id } = reply.data
    if (n % 4 === 1) await v3.responses.update(survey, id, { body: { meal: `${meal} edited` } })
    if (n % 4 === 2)
      await v3.responses.delete(survey, id).catch((error: unknown) => {
        // An earlier attempt deleted it, but its reply did not arrive.
        if (!(error instanceof NotFoundError && error.maybeApplied)) throw error
      })
    if (n % 10 === 3) await v2.importResponses({ path, body: `meal\r\nimported ${meal}\r\n` })
  }
}

/** Follows the feed until the writers are done and all changes have been read. */
async function follow(isDone: () => boolean): Promise<[string, number][]> {
  const changes: [string, number][] = []
  for (let since: string | undefined, last = false; !last; ) {
    last = isDone()
    const feed = v3.paginate.listResponseChanges({ path, query: { page_size: 7, since } })
    for await (const { kind, response_id } of feed) changes.push([kind, response_id])
    since = feed.cursor
  }
  return changes
}

let isDone = false
const writers = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer))).then(() => {
  isDone = true
})
const [changes] = await Promise.all([follow(() => isDone), writers])
const listed: [number, unknown][] = []
for await (const { _id, meal } of v3.responses.paginate(survey, { query: { page_size: 9 } })) listed.push([_id, meal])
const exported: string[] = []
for await (const { meal } of v3.csvRecords({ path })) exported.push(meal!)
console.log(JSON.stringify({ survey, changes, listed, exported, retries }))
