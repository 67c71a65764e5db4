import type { SurveySnapshot } from '../../domain/survey/snapshot.ts'

/** What the service itself reads from the query of a survey's address; all else belongs to the survey's author. */
export const ownParameters = ['collector', 'lang', 'code', 'page', 'saved', 'quota', '_draft'] as const

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
  for (const name of ['page', 'saved', '_draft']) rest.delete(name)
  return rest
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
