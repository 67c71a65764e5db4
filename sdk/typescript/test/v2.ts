// Uses version 2 through the installed package. Throws if an assertion fails.
import assert from 'node:assert/strict'
import { Canvass, CanvassError } from 'canvass-client'
import type { CreatedSurvey } from 'canvass-client/v2'

const { v2 } = new Canvass()
const choices = ['Soup', 'Curry', 'Pizza'].map((label) => ({ label }))

assert.equal((await v2.getCurrentUser()).user.username, process.env.CANVASS_USERNAME)
const survey: CreatedSurvey = await v2.createSurvey({
  body: {
    title: 'Lunch on Friday',
    form: [
      {
        children: [
          { idname: 'single-choice', id: 'meal', title: 'What?', children: [{ required: true, choices }] },
          { idname: 'text-response', id: 'notes', title: 'Notes?', children: [{}] },
        ],
      },
    ],
  },
})
const path = { survey_id: survey.id }

const ids: number[] = []
for (let n = 0; n < 7; n += 1)
  ids.push((await v2.createResponse({ path, body: { meal: String(n % 3), notes: `a, "b"\n${n}` } })).id)
const imported = await v2.importResponses({ path, body: 'meal,notes\r\n1,"imported, quoted"\r\n2,"ü"\r\n' })
assert.equal(imported.imported, 2)

const listedIds: number[] = []
for await (const response of v2.paginate.listResponses({ path, query: { limit: 2 } })) listedIds.push(response._id)
assert.deepEqual(listedIds.slice(0, 7), ids)
assert.equal(listedIds.length, 9)
let curries = 0
for await (const response of v2.paginate.listResponses({
  path,
  query: { answers: { meal: 1 }, include_labels: true },
})) {
  assert.equal(response.meal, 'Curry')
  curries += 1
}
assert.equal(curries, 3)

const notes: string[] = []
for await (const record of v2.csvRecords({ path })) notes.push(record.notes ?? '')
assert.equal(notes[6], 'a, "b"\n6')
assert.equal(notes.length, 9)

const surveyError = await v2.createResponse({ path, body: { notes: 'hungry' } }).catch((error: unknown) => error)
assert(surveyError instanceof CanvassError)
assert.equal(surveyError.status, 500)
assert.equal(surveyError.code, 'survey_error')
assert.deepEqual(
  surveyError.fieldErrors.map(({ field }) => field),
  ['meal'],
)
assert.match(surveyError.requestId ?? '', /./)
const missing = await v2.getSurvey({ path: { survey_id: 999_999 } }).catch((error: unknown) => error)
assert(missing instanceof CanvassError && missing.code === 'survey_not_found' && missing.fieldErrors.length === 0)

const { contact } = await v2.createContact({ body: { name: 'Ann', email: 'ann@example.org' } })
const names: string[] = []
for await (const { name } of v2.paginate.listContacts({ query: { limit: 1 } })) names.push(name)
assert(names.includes('Ann'))
const { webhooks } = await v2.listWebhooks()
assert(Array.isArray(webhooks))

assert.equal((await v2.setSurveyStatus({ path, query: { switch: 'closed' } })).status, 'closed')
assert.equal((await v2.deleteContact({ path: { contact_id: contact.id } })).success, true)
await v2.deleteResponses({ path, query: { response_ids: [ids[0]!, ids[1]!] } })
console.log(JSON.stringify({ survey: survey.id }))
