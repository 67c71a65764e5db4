// Compiled, never run: the compiler accepts valid calls and rejects each planted mistake.
import { type Canvass, CanvassError, RateLimitError, webhooks } from 'canvass-client'
import type { ContactCreate, Problem, ResponseComplete } from 'canvass-client/v3'

declare const canvass: Canvass
declare const error: unknown
const { v2, v3 } = canvass
const path = { survey_id: 1 }

// Filters.
void (() => v3.listResponses({ path, query: { _completed: 1 } }))
void (() => v3.listResponses({ path, query: { _completed: ['1', '2'], _created_at: { '>': '2026-01-31' } } }))
void (() => v3.paginate.listResponses({ path, query: { answers: { age: [{ '>=': 18 }, { '<': 65 }] } } }))
void (() =>
  v2.exportCsv({ path, query: { _updated_at: { '<=': '2026-01-31' }, answers: { notes: { '~': 'onion' } } } }))
// @ts-expect-error an unknown operator
void (() => v3.listResponses({ path, query: { _created_at: { after: '2026-01-31' } } }))
// @ts-expect-error a date, which would be sent as text in the local format
void (() => v3.listResponses({ path, query: { _created_at: new Date() } }))
// @ts-expect-error a misspelt parameter
void (() => v3.listResponses({ path, query: { _complete: 1 } }))

// Errors.
if (error instanceof CanvassError) {
  if (error.code === 'survey_not_found' || String(error.code) === 'code_of_a_newer_service')
    console.log(error.requestId)
  // @ts-expect-error a misspelt code
  if (error.code === 'survey_not_fuond') console.log(error.requestId)
  // @ts-expect-error a misspelt code
  if (['survey_not_fuond'].includes(error.code) || error.code === 'cursor_expierd') console.log(error.fieldErrors)
  switch (error.code) {
    case 'contact_exists':
      break
    // @ts-expect-error a misspelt code
    case 'too_many_request':
      break
    default:
      console.log(error.code)
  }
  const text: string = error.code
  console.log(text, error instanceof RateLimitError && error.rateLimit?.remaining)
}
const problem: Pick<Problem, 'code'> = { code: 'any' }
console.log(problem)

// Options of a call.
void (() => v3.createSurvey({ body: { name: 'Lunch' }, idempotencyKey: 'a', timeout: 5, maxRetries: 0 }))
void (async () => {
  const { data, headers, requestId, retries } = await v3.surveys.get(1, { maxRetries: 5 }).withResponse()
  const name: string = data.name
  console.log(name, headers.get('etag'), requestId, retries)
  // @ts-expect-error a misspelt member of the result
  console.log(data.nmae)
})
// @ts-expect-error a GET has no idempotency key
void (() => v3.getSurvey({ path, idempotencyKey: 'a' }))
// @ts-expect-error the ID is an argument
void (() => v3.surveys.get({ path }))
// @ts-expect-error a survey needs a name
void (() => v3.surveys.create({ body: {} }))
// @ts-expect-error the settings have no such member
void (() => v3.updateSettings({ path, body: { max_response: 4 } }))
// @ts-expect-error the maximum is a number
void (() => v3.settings.update(1, { body: { max_responses: 'four' } }))

// Webhooks: the type of the event selects its data.
void (async () => {
  const event = await webhooks.unwrap('', {}, 'whsec_')
  if (event.type === 'response_complete') {
    const data: ResponseComplete = event.data
    console.log(data.survey_name, data.meal, event.timestamp.getTime())
  } else if (event.type === 'contact_create') {
    const data: ContactCreate = event.data
    console.log(data.email)
    // @ts-expect-error a contact has no survey
    console.log(event.data.survey_name)
  }
  // @ts-expect-error a misspelt event
  if (event.type === 'response_completed') console.log(event.id)
})
