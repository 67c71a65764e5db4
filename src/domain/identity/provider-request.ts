import { SafeHttpError } from '../../lib/safe-http.ts'
import type { Services } from '../services.ts'
import { IdentityError, type IdentityProvider } from './identity-provider.ts'

/** The timeout is short, because a respondent waits for the reply. */
export const TIMEOUT_MS = 5_000
const MAX_BODY_BYTES = 65_536

/** The client does not decode compressed replies. */
const REQUEST_HEADERS = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'Canvass-Sign-In/1' }

/** The reply of an identity provider. */
export interface ProviderReply {
  status: number
  /** The members of the body; undefined for invalid JSON. */
  members: Readonly<Record<string, unknown>> | undefined
  /** The member `error`: an OAuth error code, or 'unnamed' for any other value. */
  error: string | undefined
  /** The member `error_description`, on one line. */
  description: string | undefined
  /** Whether the body is a web page, such as the sign-in page of a proxy. */
  isPage: boolean
}

/**
 * Posts a form to an endpoint of an identity provider.
 * @throws {IdentityError} for a network error, a timeout or a body that is too large
 */
export async function postForm(
  { safeHttp }: Pick<Services, 'safeHttp'>,
  { endpoint }: Pick<IdentityProvider, 'endpoint'>,
  step: 'token' | 'callback',
  form: URLSearchParams,
  headers: Readonly<Record<string, string>>,
): Promise<ProviderReply> {
  try {
    const reply = await safeHttp.send(`${endpoint}/${step}`, {
      method: 'POST',
      headers: { ...REQUEST_HEADERS, ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: String(form),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BODY_BYTES,
    })
    const [text, type] = [reply.text.trim(), String(reply.headers['content-type'] ?? '')]
    const members = parseBody(text, type)
    return {
      status: reply.status,
      members,
      error: errorCode(members?.error),
      description: oneLine(members?.error_description),
      isPage: isPage(text, type),
    }
  } catch (error) {
    if (error instanceof SafeHttpError)
      throw new IdentityError(step, error.message, { noReply: !error.isPermanent, cause: error })
    throw error
  }
}

/**
 * Returns the error of a reply that is not a success: another status, an error in the body, a web page or invalid JSON.
 * Returns undefined for a success.
 */
export function errorOfReply(step: 'token' | 'callback', reply: ProviderReply): IdentityError | undefined {
  const { status, error: code, description, members, isPage } = reply
  const fail = (message: string) => new IdentityError(step, message, { status, code, description })
  if (code !== undefined) return fail(`the reply is the error ${code}`)
  if (status < 200 || status > 299) return fail(`the reply has the status ${status}`)
  if (isPage) return fail('the reply is a web page')
  return members ? undefined : fail('the reply is not valid JSON')
}

const MAX_DESCRIPTION_CHARACTERS = 300

/** Returns the beginning of a text on one line, without control and format characters. */
export function oneLine(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  const clean = text.replace(/[\p{C}\s]+/gu, ' ').trim()
  return Array.from(clean).slice(0, MAX_DESCRIPTION_CHARACTERS).join('') || undefined
}

/**
 * Returns whether a body is HTML. The content type alone does not say so: PHP labels every reply as HTML, also one with
 * JSON or the word OK.
 */
function isPage(text: string, type: string): boolean {
  if (/^(?:\ufeff|\s|<!--.*?-->)*<(?:!doctype\s+html|html|head|body)\b/is.test(text)) return true
  return /html/i.test(type) && !text.startsWith('{') && /<[a-z!/]/i.test(text)
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
  return typeof error === 'string' ? (oneLine(error) ?? 'unnamed') : 'unnamed'
}
