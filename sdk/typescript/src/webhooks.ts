import { parseEvent, type WebhookEvent } from './webhook-event.js'

export type { WebhookEvent }

/**
 * The maximum age of a message in seconds. Older messages are rejected, because an attacker may have recorded and
 * resent them.
 */
const TOLERANCE_SECONDS = 300

/** The headers of a request, as a `Headers` object or a plain object. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

function headerOf(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? ''
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof value === 'string' ? value : (value?.join(' ') ?? '')
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

/**
 * Decodes one part of the signature header.
 * @returns undefined if the part has an unknown scheme or invalid Base64
 */
function decodeSignature(part: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return part.startsWith('v1,') ? bytesOf(part.slice(3)) : undefined
  } catch {
    return undefined
  }
}

/**
 * Verifies the signature and the age of a webhook message (Standard Webhooks).
 * @param secret the secret from `createWebhook` or `subscribeWebhook`, `whsec_…`
 * @param body the unparsed body
 * @returns whether the service sent the message within the last five minutes
 */
export async function verify(secret: string, headers: WebhookHeaders, body: string | Uint8Array): Promise<boolean> {
  const [id, time] = [headerOf(headers, 'webhook-id'), headerOf(headers, 'webhook-timestamp')]
  // The comparison is negated, so that a time that is not a number is rejected too.
  if (!id || !time || !(Math.abs(Date.now() / 1000 - Number(time)) <= TOLERANCE_SECONDS)) return false
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytesOf(secret.replace(/^whsec_/, '')), algorithm, false, ['verify'])
  const prefix = new TextEncoder().encode(`${id}.${time}.`)
  const content = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signed = new Uint8Array([...prefix, ...content])
  for (const part of headerOf(headers, 'webhook-signature').split(' ')) {
    const signature = decodeSignature(part)
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true
  }
  return false
}

/** Thrown if the signature of a message is wrong, if the message is too old, or if its event is unknown. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

/**
 * Verifies a webhook message and parses its body.
 * @param body the unparsed body
 * @param secret the secret from `createWebhook` or `subscribeWebhook`, `whsec_…`; a list with the old and the new
 *   secret while a secret is being replaced
 * @returns the event; the value of `type` determines the type of `data`
 * @throws WebhookVerificationError if the service did not send the message within the last five minutes
 */
export async function unwrap(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
): Promise<WebhookEvent> {
  const secrets = typeof secret === 'string' ? [secret] : secret
  const checks = await Promise.all(secrets.map((one) => verify(one, headers, body)))
  if (!checks.includes(true))
    throw new WebhookVerificationError('The signature or the time of the message is not valid')
  const event = parseEvent(headerOf(headers, 'webhook-id'), headerOf(headers, 'webhook-timestamp'), body)
  if (!event)
    throw new WebhookVerificationError('The event of the message is unknown. Use a newer version of the package.')
  return event
}
