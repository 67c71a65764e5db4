import { type RawBuilder, sql } from 'kysely'

/** The fields of a webhook request body, in order. */
export type WebhookForm = readonly (readonly [name: string, value: string])[]

/** The formats of webhook request bodies, with their media types (docs/specification.md 11.3). */
export const bodyFormats = { form: 'application/x-www-form-urlencoded', json: 'application/json' } as const
export type BodyFormat = keyof typeof bodyFormats

/** Encodes a request body: as a form (URL Standard, section 5), or as a JSON object with the same texts. */
export const encodeBody = (format: BodyFormat, fields: WebhookForm): string =>
  format === 'json'
    ? JSON.stringify(Object.fromEntries(fields))
    : new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString()

/** Returns the fields of an encoded request body. */
export const decodeBody = (format: BodyFormat, body: string): WebhookForm =>
  format === 'json' ? Object.entries(JSON.parse(body) as Record<string, string>) : [...new URLSearchParams(body)]

/**
 * Returns the condition that a field of the stored request body `body` has a value, or a value that ends with it,
 * regardless of case. A form contains no quotation marks, so the text of one format is never found in the other.
 */
export function hasField(value: string, match: 'whole' | 'end'): RawBuilder<boolean> {
  const [form, json] = match === 'whole' ? ['=', ':"'] : ['', '']
  const inForm = `${form}${new URLSearchParams([['', value]]).toString().slice(1)}&`
  const inJson = `${json}${JSON.stringify(value).slice(1)}`
  return sql`(strpos(lower(body || '&'), lower(${inForm})) > 0 or strpos(lower(body), lower(${inJson})) > 0)`
}

/** Formats a time in UTC for webhook forms (docs/specification.md 11.3): `09/03/2026 02:05PM`. */
export function formatCallbackTime(time: Date): string {
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  const hour = time.getUTCHours()
  const date = `${twoDigits(time.getUTCDate())}/${twoDigits(time.getUTCMonth() + 1)}/${time.getUTCFullYear()}`
  return `${date} ${twoDigits(hour % 12 || 12)}:${twoDigits(time.getUTCMinutes())}${hour < 12 ? 'AM' : 'PM'}`
}
