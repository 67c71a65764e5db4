// Prints changes to the responses of a survey since a cursor.
// Run: node follow.mjs <survey id> [cursor]
import { Canvass, GoneError } from 'canvass-client'

const { v3 } = new Canvass()
const [, , survey, cursor] = process.argv

/** Prints the changes since a cursor, and returns the next cursor. */
async function follow(since) {
  const feed = v3.responses.paginateChanges(Number(survey), { query: { since } })
  for await (const { kind, response_id, at } of feed) console.log(at, kind, response_id)
  return feed.cursor
}

const next = await follow(cursor).catch((error) => {
  if (!(error instanceof GoneError)) throw error
  console.log('The service was restored from a backup. Starting again.')
  return follow(undefined)
})
console.log(`Next run: node follow.mjs ${survey} ${next}`)
