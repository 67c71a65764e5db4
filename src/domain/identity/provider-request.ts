import { SafeHttpError } from '../../lib/safe-http.ts'
import type { Services } from '../services.ts'
import { IdentityError } from './identity-provider.ts'

/** Milliseconds that an identity system has for one answer: a respondent is waiting. */
const TIMEOUT_MS = 5_000
/** Longest answer that is read, in bytes. */
const MAX_BODY_BYTES = 65_536

/** What an identity system answered. */
export interface ProviderReply {
  status: number
  /** The members of its body; undefined where it says that it has some and they cannot be read. */
  members: Readonly<Record<string, unknown>> | undefined
  /** The `error` among them: an OAuth code, or 'unnamed' for one of another kind. */
  error: string | undefined
}

/**
 * Sends a form to an identity system.
 * @throws {IdentityError} when nothing that can be read was answered in time
 */
export async function postForm(
  { safeHttp: outgoing }: Pick<Services, 'safeHttp'>,
  address: string,
  form: URLSearchParams,
  headers: Readonly<Record<string, string>>,
): Promise<ProviderReply> {
  try {
    const {
      status,
      text,
      headers: answered,
    } = await outgoing.send(address, {
      method: 'POST',
      headers: { accept: 'application/json', ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: String(form),
      timeout: TIMEOUT_MS,
      most: MAX_BODY_BYTES,
    })
    const members = parseBody(text.trim(), String(answered['content-type'] ?? ''))
    return { status, members, error: errorCode(members?.error) }
  } catch (error) {
    if (error instanceof SafeHttpError) throw new IdentityError(error.message, { cause: error })
    throw error
  }
}

/** JSON as RFC 6749 has it, a form as older systems answer, or the bare name of an error; anything else tells nothing. */
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
