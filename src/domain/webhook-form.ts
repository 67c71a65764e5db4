/** The members of a request body in order. */
export type WebhookForm = readonly (readonly [name: string, value: string])[]

/** Encodes the request body of a callback: `application/x-www-form-urlencoded` (URL Standard, section 5). */
export const encodeForm = (pairs: WebhookForm): string =>
  new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString()

/** Returns the encoded end of a form member whose value is, or ends with, the given text. */
export const encodedMemberEnd = (value: string) => `${new URLSearchParams([['', value]]).toString().slice(1)}&`

/** Returns a time as webhook forms show it (docs/specification.md 11.3), in UTC: `09/03/2026 02:05PM`. */
export function formatCallbackTime(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const hour = time.getUTCHours()
  const date = `${two(time.getUTCDate())}/${two(time.getUTCMonth() + 1)}/${time.getUTCFullYear()}`
  return `${date} ${two(hour % 12 || 12)}:${two(time.getUTCMinutes())}${hour < 12 ? 'AM' : 'PM'}`
}
