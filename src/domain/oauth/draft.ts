import { type FieldError, problems } from '../problem.ts'

export interface ApplicationDraft {
  name: string
  homepage: string
  callback: string
  description: string
}

const MAX_CHARACTERS = { name: 100, homepage: 2000, callback: 2000, description: 300 } as const
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

const webAddress = (text: string): URL | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password ? url : undefined
}

/** RFC 6749, 3.1.2: absolute, without a fragment. RFC 9700, 4.1.3: not in the open, for it carries the code. */
function callbackFault(text: string): string | undefined {
  const url = webAddress(text)
  if (!url) return 'must be an address starting with https://'
  if (text.includes('#')) return 'must not have a fragment (#)'
  if (url.protocol === 'http:' && !LOOPBACK_HOST.test(url.hostname))
    return 'must start with https:// (http:// only for this machine itself)'
  // What is compared letter for letter has to be written as programs write it.
  if (/[^\x21-\x7e]/.test(text)) return 'must be written with ASCII letters, without spaces'
  if (text.includes('\\')) return 'must not have a backslash'
  // The page of consent names the host in its policy, where `;` and `*` would say something else.
  if (!/^(?:[a-z\d._-]+|\[[\da-f:.]+\])$/.test(url.hostname)) return 'must have the name of a host'
  return undefined
}

/**
 * What its developer says of an application, without the spaces around it.
 * @throws {Problem} `invalid_request` naming each member that is wrong
 */
export function checkDraft(given: ApplicationDraft): ApplicationDraft {
  const draft = {
    name: given.name.trim(),
    homepage: given.homepage.trim(),
    callback: given.callback.trim(),
    description: given.description.trim(),
  }
  const errors: FieldError[] = []
  for (const field of ['name', 'homepage', 'callback', 'description'] as const) {
    if (draft[field].length > MAX_CHARACTERS[field])
      errors.push({ field, message: `must have at most ${MAX_CHARACTERS[field]} characters` })
    else if (draft[field] === '' && field !== 'description') errors.push({ field, message: 'is required' })
  }
  const wrong = new Set(errors.map(({ field }) => field))
  if (!wrong.has('homepage') && !webAddress(draft.homepage))
    errors.push({ field: 'homepage', message: 'must be an address starting with https:// or http://' })
  const fieldError = wrong.has('callback') ? undefined : callbackFault(draft.callback)
  if (fieldError) errors.push({ field: 'callback', message: fieldError })
  if (errors.length > 0) throw problems.invalid(errors)
  return draft
}
