import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** A new secret of 256 bits, as Standard Webhooks writes it. */
export const newSecret = (): string => PREFIX + randomBytes(32).toString('base64')

/**
 * The headers of Standard Webhooks (https://www.standardwebhooks.com, "Verifying webhook authenticity"): HMAC-SHA256
 * over id, time and body as they are sent.
 * @param secrets one, or two while a rotation overlaps: a signature each
 * @param id the same for every attempt to deliver one message
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
