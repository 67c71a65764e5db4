import { type FieldError, fieldError, type ValueError, valueError } from '../field-error.ts'
import { problems } from '../problem.ts'

/** The registration data of an application. */
export interface ApplicationDraft {
  name: string
  homepage: string
  /** The redirect URIs, one per line. */
  callback: string
  description: string
}

/** An application that has no secret (RFC 6749, 2.1), or one that keeps a secret. */
export type ApplicationKind = 'public' | 'confidential'

const MAX_CALLBACKS = 10
const MAX_CHARACTERS = { name: 100, homepage: 2000, callback: 2000, description: 300 } as const
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Returns an HTTP URL without credentials; undefined for any other text. */
const webAddress = (text: string): URL | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password ? url : undefined
}

/**
 * Checks a redirect URI. It must be absolute and have no fragment (RFC 6749, 3.1.2). It must use HTTPS unless its host
 * is the local computer, because it transports the code (RFC 9700, 4.1.3).
 */
function checkCallback(text: string): ValueError | undefined {
  const invalid = (message: string) => valueError('invalid_url', {}, message)
  const url = webAddress(text)
  if (!url) return invalid('must start with https:// and must not contain a username or a password')
  if (text.includes('#')) return invalid('must not have a fragment (#)')
  if (url.protocol === 'http:' && !LOOPBACK_HOST.test(url.hostname))
    return invalid('must start with https:// (http:// for localhost only)')
  // Redirect URIs are compared as strings, so a URI is accepted only in the form in which programs send it.
  if (/[^\x21-\x7e]/.test(text)) return invalid('must consist of ASCII characters without spaces')
  if (text.includes('\\')) return invalid('must not contain a backslash')
  // The Content-Security-Policy of the consent page contains the host, and `;` and `*` have a special meaning there.
  if (!/^(?:[a-z\d._-]+|\[[\da-f:.]+\])$/.test(url.hostname)) return invalid('must have a host name')
  return undefined
}

/** The first invalid redirect URI of a list is reported, with its text if there are several. */
function checkCallbacks(callbacks: readonly string[]): ValueError | undefined {
  if (callbacks.length > MAX_CALLBACKS) return valueError('too_many', { max: MAX_CALLBACKS })
  for (const callback of callbacks) {
    const error = checkCallback(callback)
    if (error) return callbacks.length === 1 ? error : { ...error, message: `${error.message}: ${callback}` }
  }
  return undefined
}

/** The valid details of an application. */
export interface ApplicationDetails extends ApplicationDraft {
  /** The first redirect URI. */
  callback: string
  moreCallbacks: string[]
}

/**
 * Returns the details of an application without surrounding white space.
 * @throws {Problem} `invalid_request` naming each invalid field
 */
export function parseApplicationDraft(input: ApplicationDraft): ApplicationDetails {
  const draft = {
    name: input.name.trim(),
    homepage: input.homepage.trim(),
    callback: input.callback.trim(),
    description: input.description.trim(),
  }
  const errors: FieldError[] = []
  for (const field of ['name', 'homepage', 'callback', 'description'] as const) {
    if (draft[field].length > MAX_CHARACTERS[field])
      errors.push(fieldError(field, 'too_long', { max: MAX_CHARACTERS[field] }))
    else if (draft[field] === '' && field !== 'description') errors.push(fieldError(field, 'required'))
  }
  const invalidFields = new Set(errors.map(({ field }) => field))
  if (!invalidFields.has('homepage') && !webAddress(draft.homepage))
    errors.push(
      fieldError(
        'homepage',
        'invalid_url',
        {},
        'must start with https:// or http:// and must not contain a username or a password',
      ),
    )
  const [callback = '', ...moreCallbacks] = new Set(draft.callback.split(/\s*[\r\n]\s*/))
  const callbackError = invalidFields.has('callback') ? undefined : checkCallbacks([callback, ...moreCallbacks])
  if (callbackError) errors.push({ field: 'callback', ...callbackError })
  if (errors.length > 0) throw problems.invalid(errors)
  return { ...draft, callback, moreCallbacks }
}
