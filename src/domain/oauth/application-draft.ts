import { type FieldError, fieldError, type ValueError, valueError } from '../field-error.ts'
import { problems } from '../problem.ts'

/** The registration data of an application. */
export interface ApplicationDraft {
  name: string
  homepage: string
  callback: string
  description: string
}

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

/**
 * Returns the details of an application without surrounding white space.
 * @throws {Problem} `invalid_request` naming each invalid field
 */
export function parseApplicationDraft(input: ApplicationDraft): ApplicationDraft {
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
  const callbackError = invalidFields.has('callback') ? undefined : checkCallback(draft.callback)
  if (callbackError) errors.push({ field: 'callback', ...callbackError })
  if (errors.length > 0) throw problems.invalid(errors)
  return draft
}
