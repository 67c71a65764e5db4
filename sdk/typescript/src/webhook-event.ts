import type { ContactCreate, ReportCreate, ResponseComplete, SurveyCreate } from './v3/types.gen.js'

interface Envelope<Type extends string, Data> {
  /** The name of the event, as in `createWebhook`. */
  type: Type
  /**
   * The header `webhook-id`. The same message can arrive more than once, so ignore messages whose ID your program has
   * already received.
   */
  id: string
  /** The time when the message was sent. */
  timestamp: Date
  /** The body of the message. */
  data: Data
}

/** A webhook message. The value of `type` determines which members `data` has. */
export type WebhookEvent =
  | Envelope<'response_complete', ResponseComplete>
  | Envelope<'survey_create', SurveyCreate>
  | Envelope<'report_create', ReportCreate>
  | Envelope<'contact_create', ContactCreate>

/**
 * The members of the body by which the event of a message is recognised, because no signed header names the event.
 * `response_complete` is tested first: its body also contains answers by question ID, and a question ID can be a member
 * of another entry, such as `email`.
 */
const MEMBERS = [
  ['response_complete', ['_id', '_key', '_created_at', 'score']],
  ['survey_create', ['survey_creator_name', 'survey_url']],
  ['report_create', ['report_url', 'survey_url']],
  ['contact_create', ['name', 'email']],
] as const satisfies readonly (readonly [WebhookEvent['type'], readonly string[]])[]

/** Returns the event in the body of a verified message; undefined if this version of the package does not know it. */
export function parseEvent(id: string, sent: string, body: string | Uint8Array): WebhookEvent | undefined {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  // A form begins with the name of a member.
  const data: object = text.startsWith('{') ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))
  const [type] = MEMBERS.find(([, members]) => members.every((member) => Object.hasOwn(data, member))) ?? []
  const timestamp = new Date(Number(sent) * 1000)
  return type && ({ type, id, timestamp, data } as unknown as WebhookEvent)
}
