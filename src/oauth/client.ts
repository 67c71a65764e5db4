import type { Context as Koa } from 'koa'
import { failures } from './failure.ts'

/** The credentials of a client. */
export interface Credentials {
  clientId: string
  /** Undefined if the client sent none. */
  secret: string | undefined
}

/** Decodes a part of a Basic header. RFC 6749 (2.3.1) requires form encoding, which some clients omit. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return part
  }
}

/**
 * Returns whether a client uses HTTP Basic. If so, an `invalid_client` error is 401 with a challenge (RFC 6749, 5.2).
 */
export const usesBasic = (ctx: Koa): boolean => /^Basic\b/i.test(ctx.get('authorization'))

/**
 * Returns the credentials of the client from the form or from HTTP Basic (RFC 6749, 2.3).
 * In the sample request of the original service (docs/decisions.md 3.6), the header has the credentials of the user. If
 * the form has a client ID and a secret, a Basic header is therefore ignored, unless it names the same client. A client
 * without a secret sends its ID alone. White space around an ID and a secret is ignored: it comes from copying.
 * @throws {OAuthError} `invalid_client`; `invalid_request` if the header has another secret for the client in the form,
 *   or if the form has only a secret, or only the ID of another client
 */
export function credentialsOf(ctx: Koa, values: Readonly<Record<string, string>>): Credentials {
  const [clientId, secret] = [values.client_id?.trim(), values.client_secret?.trim()]
  const basic = usesBasic(ctx) ? basicCredentials(ctx) : undefined
  if (clientId && secret) {
    if (basic?.clientId === clientId && basic.secret !== secret)
      throw failures.invalidRequest('The client secrets in the header and in the form differ: send one of them')
    return { clientId, secret }
  }
  if (clientId && !usesBasic(ctx)) return { clientId, secret: undefined }
  if (!basic) throw failures.invalidClient()
  if (secret || (clientId && clientId !== basic.clientId))
    throw failures.invalidRequest('Send the client ID and secret either in the header or in the form')
  return basic
}

/**
 * Parses a Basic header. An empty secret is none.
 * @returns undefined for an invalid header
 */
function basicCredentials(ctx: Koa): Credentials | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(ctx.get('authorization'))?.[1] ?? ''
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const [clientId, secret] = [decodePart(text.slice(0, colon)).trim(), decodePart(text.slice(colon + 1)).trim()]
  return colon < 1 || text.includes('\0') ? undefined : { clientId, secret: secret || undefined }
}
