/** The fields of a webhook request body, in order. */
export type WebhookForm = readonly (readonly [name: string, value: string])[]

/** Encodes a request body as `application/x-www-form-urlencoded` (URL Standard, section 5). */
export const encodeForm = (fields: WebhookForm): string =>
  new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString()

/** Returns the end of an encoded form field whose value ends with the given text, including the separator `&`. */
export const encodedFieldEnd = (value: string) => `${new URLSearchParams([['', value]]).toString().slice(1)}&`

/** Formats a time in UTC for webhook forms (docs/specification.md 11.3): `09/03/2026 02:05PM`. */
export function formatCallbackTime(time: Date): string {
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  const hour = time.getUTCHours()
  const date = `${twoDigits(time.getUTCDate())}/${twoDigits(time.getUTCMonth() + 1)}/${time.getUTCFullYear()}`
  return `${date} ${twoDigits(hour % 12 || 12)}:${twoDigits(time.getUTCMinutes())}${hour < 12 ? 'AM' : 'PM'}`
}
