import type { SurveySnapshot } from '../../domain/survey/snapshot.ts'

/** What the service itself reads from the query of a survey's address; all else belongs to the survey's author. */
export const ownParameters = ['collector', 'lang', 'code', 'page', 'saved', 'quota', '_draft', '_denied'] as const

/** The path of a survey's address, or of one response to it. */
export function pathFor({ ownerUsername, slug }: SurveySnapshot, key?: Buffer): string {
  const path = `/surveys/${encodeURIComponent(ownerUsername)}/${encodeURIComponent(slug)}/`
  return key ? `${path}${key.toString('hex')}/` : path
}

/** A path with a query; what is undefined stays out. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, String(value))
  return searched(path, search)
}

/** A path with a query that may be empty. */
export const searched = (path: string, search: URLSearchParams): string =>
  search.size > 0 ? `${path}?${search}` : path

/** The query of an address without what says which of its pages is meant, and how it stands. */
export function withoutOwn(query: URLSearchParams): URLSearchParams {
  const rest = new URLSearchParams(query)
  for (const name of ['page', 'saved', '_draft', '_denied']) rest.delete(name)
  return rest
}

/**
 * Returns an address that shows why a form was rejected: a page in the reply itself would make browsers ask whether to submit
 * the form again when the respondent returns to it.
 * @param reason `password`, `used`, or how many minutes to wait before the next password
 */
export function deniedAddress(address: string, reason: 'password' | 'used' | number): string {
  const [path = '', search] = address.split('?')
  const query = new URLSearchParams(search)
  query.set('_denied', String(reason))
  return searched(path, query)
}

/** The query of an address without what the service itself reads. */
export function authorsQuery(query: URLSearchParams): string {
  const rest = new URLSearchParams(query)
  for (const name of ownParameters) rest.delete(name)
  return rest.toString()
}

/** The key of a response as it stands in an address: 40 hexadecimal digits. */
export const keyIn = (text: string | undefined): Buffer | undefined =>
  text && /^[0-9a-f]{40}$/i.test(text) ? Buffer.from(text, 'hex') : undefined
