import { Canvass } from 'canvass-client'

// Reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.
const { v3 } = new Canvass()
let since: string | undefined // store it for the next run
for (let more = true; more; ) {
  const changes = await v3.listResponseChanges({ path: { survey_id: 14 }, query: { since } })
  for (const { kind, response_id } of changes.results) console.log(kind, response_id)
  since = changes.next_cursor
  more = changes.more
}
