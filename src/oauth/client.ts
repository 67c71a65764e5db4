import type { Context as Koa } from 'koa'
import { failures } from './failure.ts'

/** How a client says who it is. */
export interface Credentials {
  clientId: string
  secret: string
}

/** RFC 6749, 2.3.1: each part was encoded like a form's before it went into the header; not everybody does that. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return part
  }
}

/** Whether a client uses HTTP Basic: then its errors are 401 with a challenge (RFC 6749, 5.2). */
export const usesBasic = (ctx: Koa): boolean => /^Basic\b/i.test(ctx.get('authorization'))

/**
 * Returns the client's credentials: id and secret in the form, else HTTP Basic (RFC 6749, 2.3).
 * A Basic header beside both form parameters holds the user's own credentials in the original vendor's sample request:
 * it is not read, unless it names this very client.
 * @throws {Failure} `invalid_client`; `invalid_request` where header and form contradict each other
 */
export function credentialsOf(ctx: Koa, values: Readonly<Record<string, string>>): Credentials {
  const { client_id: clientId, client_secret: secret } = values
  const basic = usesBasic(ctx) ? basicCredentials(ctx) : undefined
  if (clientId && secret) {
    if (basic?.clientId === clientId && basic.secret !== secret)
      throw failures.invalidRequest('The client secret in the header is not the one in the form: send it once')
    return { clientId, secret }
  }
  if (!basic?.secret) throw failures.invalidClient()
  if (secret || (clientId && clientId !== basic.clientId))
    throw failures.invalidRequest('Send the client id and secret once: in the header or in the form')
  return basic
}

/** The parts of a Basic header, the secret perhaps empty; undefined where it cannot be read. */
function basicCredentials(ctx: Koa): Credentials | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(ctx.get('authorization'))?.[1] ?? ''
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const [clientId, secret] = [decoded(text.slice(0, colon)), decoded(text.slice(colon + 1))]
  return colon < 1 || text.includes('\0') ? undefined : { clientId, secret }
}
