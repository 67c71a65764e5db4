// Prints changes to the responses of a survey since a cursor.
// Run: node follow.mjs <survey id> [cursor]
import { Canvass } from 'canvass-client'

const { v3 } = new Canvass()
const [, , survey, cursor] = process.argv

for (let since = cursor, more = true; more; ) {
  const changes = await v3
    .listResponseChanges({ path: { survey_id: Number(survey) }, query: { since } })
    .catch((error) => {
      if (error.code !== 'cursor_expired') throw error
      console.log('The service was restored from a backup. Starting again.')
      return { results: [], next_cursor: undefined, more: true }
    })
  for (const { kind, response_id, at } of changes.results) console.log(at, kind, response_id)
  since = changes.next_cursor
  more = changes.more
  if (!more) console.log(`Next run: node follow.mjs ${survey} ${since}`)
}
