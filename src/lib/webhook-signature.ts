import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** Returns a new secret of 256 bits in the notation of Standard Webhooks. */
export const newSecret = (): string => PREFIX + randomBytes(32).toString('base64')

/**
 * Returns the headers of Standard Webhooks (https://www.standardwebhooks.com, "Verifying webhook authenticity"):
 * HMAC-SHA256 over ID, time and body as sent.
 * @param secrets one secret, or two during a rotation; each secret adds a signature
 * @param id the ID of the message, the same for every attempt
 */
export function signatureHeaders(secrets: readonly string[], id: string, now: Date, body: string) {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signature = (secret: string) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  }
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(signature).join(' '),
  }
}
