import { SafeHttpError } from '../../lib/safe-http.ts'
import type { Services } from '../services.ts'
import { IdentityError } from './identity-provider.ts'

/** The timeout is short, because a respondent waits for the reply. */
const TIMEOUT_MS = 5_000
const MAX_BODY_BYTES = 65_536

/** The reply of an identity provider. */
export interface ProviderReply {
  status: number
  /** The members of the body; undefined for invalid JSON. */
  members: Readonly<Record<string, unknown>> | undefined
  /** The member `error`: an OAuth error code, or 'unnamed' for any other value. */
  error: string | undefined
}

/**
 * Posts a form to an identity provider.
 * @throws {IdentityError} for a network error, a timeout or a body that is too large
 */
export async function postForm(
  { safeHttp }: Pick<Services, 'safeHttp'>,
  address: string,
  form: URLSearchParams,
  headers: Readonly<Record<string, string>>,
): Promise<ProviderReply> {
  try {
    const {
      status,
      text,
      headers: replyHeaders,
    } = await safeHttp.send(address, {
      method: 'POST',
      headers: { accept: 'application/json', ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: String(form),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BODY_BYTES,
    })
    const members = parseBody(text.trim(), String(replyHeaders['content-type'] ?? ''))
    return { status, members, error: errorCode(members?.error) }
  } catch (error) {
    if (error instanceof SafeHttpError) throw new IdentityError(error.message, { cause: error })
    throw error
  }
}

/**
 * Parses a body: JSON (RFC 6749), form encoding as older providers send it, or only an error code. For any other body,
 * returns an empty object; for invalid JSON, undefined.
 */
function parseBody(text: string, type: string): ProviderReply['members'] {
  if (text === '') return {}
  if (text.startsWith('{') || /\bjson\b/i.test(type)) return parseJson(text)
  if (text === 'invalid_grant') return { error: text }
  return /^[\w.-]+=/.test(text) ? Object.fromEntries(new URLSearchParams(text)) : {}
}

function parseJson(text: string): ProviderReply['members'] {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'string') return parseBody(value, '')
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return undefined
  }
}

function errorCode(error: unknown): string | undefined {
  if (error === undefined || error === null || error === false || error === '') return undefined
  return typeof error === 'string' ? error : 'unnamed'
}
