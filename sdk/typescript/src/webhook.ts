/** Seconds by which a message may be older or newer than now; a replayed one is older. */
const TOLERANCE = 300

/** The headers of a request, in whatever way a server hands them out. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

function headerOf(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? ''
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : (found?.join(' ') ?? '')
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

/** Nothing, where it is no base64. */
function signatureIn(part: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return part.startsWith('v1,') ? bytesOf(part.slice(3)) : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether a message to your webhook comes from the service, and came just now (Standard Webhooks).
 * @param secret what `createWebhook` or `subscribeWebhook` gave, `whsec_…`
 * @param body exactly as it came in, before anything parsed it
 */
export async function isGenuine(secret: string, headers: WebhookHeaders, body: string | Uint8Array): Promise<boolean> {
  const [id, time] = [headerOf(headers, 'webhook-id'), headerOf(headers, 'webhook-timestamp')]
  // Also what is no number is not near to now.
  if (!id || !time || !(Math.abs(Date.now() / 1000 - Number(time)) <= TOLERANCE)) return false
  const use = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytesOf(secret.replace(/^whsec_/, '')), use, false, ['verify'])
  const head = new TextEncoder().encode(`${id}.${time}.`)
  const rest = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signed = new Uint8Array([...head, ...rest])
  for (const part of headerOf(headers, 'webhook-signature').split(' ')) {
    const signature = signatureIn(part)
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true
  }
  return false
}
