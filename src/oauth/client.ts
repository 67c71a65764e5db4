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
 * The client's credentials: HTTP Basic or two parameters, not both (RFC 6749, 2.3).
 * @throws {Failure} `invalid_client`, `invalid_request`
 */
export function credentialsOf(ctx: Koa, values: Readonly<Record<string, string>>): Credentials {
  if (!usesBasic(ctx)) {
    if (!values.client_id || !values.client_secret) throw failures.invalidClient()
    return { clientId: values.client_id, secret: values.client_secret }
  }
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(ctx.get('authorization'))?.[1] ?? ''
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const [clientId, secret] = [decoded(text.slice(0, colon)), decoded(text.slice(colon + 1))]
  if (colon < 1 || !secret || text.includes('\0')) throw failures.invalidClient()
  if (values.client_secret || (values.client_id && values.client_id !== clientId))
    throw failures.invalidRequest('Send the client id and secret once: in the header or in the form')
  return { clientId, secret }
}
