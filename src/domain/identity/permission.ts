import { SafeHttpError } from '../../lib/safe-http.ts'
import { digest } from '../../lib/secrets.ts'
import type { PublicContext } from '../context.ts'
import type { Services } from '../services.ts'
import type { CollectorSnapshot, SurveySnapshot } from '../survey/snapshot.ts'
import { clientAuthentication, IdentityError, type IdentityProvider } from './identity-provider.ts'

/** The response to which a respondent requests access. */
export interface ProtectedResponse {
  survey: SurveySnapshot
  collector: CollectorSnapshot
  /** The key of the response, which may not exist yet. */
  key: Buffer
}

/** `unknown`: the provider no longer accepts the token. */
type PermissionReply = 'allowed' | 'denied' | 'unknown'

/**
 * Asks an identity provider whether a respondent may see and change a response (docs/specification.md 12.2). The
 * request carries the client's credentials in the header and the access token in the form (docs/decisions.md 8.1).
 * After a 401 the request is repeated once with the token as a Bearer token. A second 401 means that the token is not
 * valid, whatever the body is.
 * @throws {IdentityError} when the reply neither grants nor denies access
 */
export async function requestPermission(
  context: PublicContext,
  provider: IdentityProvider,
  accessToken: string,
  response: ProtectedResponse,
): Promise<PermissionReply> {
  const form = {
    method: 'access_response',
    survey: String(response.survey.id),
    response: responseName(context, response),
  }
  const send = (authorization: string | undefined, fields: Record<string, string>) =>
    postForm(
      context.services,
      provider,
      'callback',
      new URLSearchParams(fields),
      authorization ? { authorization } : {},
    )
  const first = await send(clientAuthentication(provider), { access_token: accessToken, ...form })
  if (first.status !== 401) return parsePermission(first)
  // A request must send the token in one way only (RFC 6750, 2).
  const second = await send(`Bearer ${accessToken}`, form)
  return second.status === 401 ? 'unknown' : parsePermission(second)
}

/** Error codes that mean that the token is not valid: docs/specification.md 12.2 and RFC 6750, 3.1. */
const UNKNOWN_TOKEN = new Set(['invalid_grant', 'invalid_token'])

function parsePermission(reply: ProviderReply): PermissionReply {
  if (reply.error !== undefined && UNKNOWN_TOKEN.has(reply.error)) return 'unknown'
  if (reply.status === 404) return 'denied'
  const error = errorOfReply('callback', reply)
  if (error) throw error
  // The reply of a provider's introspection endpoint (RFC 7662, 2.2).
  return reply.members?.active === false ? 'unknown' : 'allowed'
}

/**
 * Returns the name of a response in the request: its key or, for anonymous responses, a digest of the key. The provider
 * knows who the respondent is. With the key of an anonymous response, the owner of the provider could find the response
 * of this person.
 */
const responseName = ({ services }: PublicContext, { collector, key }: ProtectedResponse): string =>
  (collector.settings.anonymous
    ? digest(services.secretKey, `anonymous response ${key.toString('hex')}`).subarray(0, key.length)
    : key
  ).toString('hex')

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
