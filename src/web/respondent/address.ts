import { isServiceParameter, SERVICE_PARAMETERS } from '../../domain/structure/reserved-ids.ts'
import type { SurveySnapshot } from '../../domain/survey/snapshot.ts'

/** Returns the path of a survey, or of one of its responses. */
export function pathFor({ ownerUsername, slug }: SurveySnapshot, key?: Buffer): string {
  const path = `/surveys/${encodeURIComponent(ownerUsername)}/${encodeURIComponent(slug)}/`
  return key ? `${path}${key.toString('hex')}/` : path
}

/** Returns a path with a query. Leaves out parameters that are undefined. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, String(value))
  return withSearch(path, search)
}

/** Returns a path with a query; the query may be empty. */
export const withSearch = (path: string, search: URLSearchParams): string =>
  search.size > 0 ? `${path}?${search}` : path

/** Maximum number of characters of the queries in the links to all languages of a page. */
const MAX_LANGUAGE_QUERY_CHARACTERS = 200_000

/**
 * Returns a function that returns the URL of a page in a language, with the query of the page. If the links to all
 * languages together would be too long, they keep only the parameters of the service, or none: otherwise a query of
 * 15 KB would make a page with links to 200 languages 3 MB long.
 */
export function languagePaths(path: string, query: URLSearchParams, languages: number): (code: string) => string {
  let search: string | undefined
  return (code) => {
    search ??= languageQuery(query, languages)
    return `${path}?${search ? `${search}&` : ''}lang=${encodeURIComponent(code)}`
  }
}

function languageQuery(query: URLSearchParams, languages: number): string {
  const others = new URLSearchParams(query)
  others.delete('lang')
  const ofService = new URLSearchParams([...others].filter(([name]) => isServiceParameter(name)))
  const fits = ({ length }: string) => length * languages <= MAX_LANGUAGE_QUERY_CHARACTERS
  return [String(others), String(ofService)].find(fits) ?? ''
}

/** Returns a query without the parameters that select a page or describe its state. */
export function withoutPageState(query: URLSearchParams): URLSearchParams {
  const remaining = new URLSearchParams(query)
  for (const name of ['page', 'saved', '_draft', '_denied']) remaining.delete(name)
  return remaining
}

/**
 * Returns a URL whose page shows why a form was rejected. If the page were the direct reply to the form, browsers would
 * ask whether to submit the form again when the respondent returns to the page.
 * @param reason `password`; the number of minutes until the next password is accepted; or `cookies`: the password was
 *   right, and the page shows whether the browser has stored the cookie
 */
export function deniedAddress(address: string, reason: 'password' | 'cookies' | number): string {
  const [path = '', search] = address.split('?')
  const query = new URLSearchParams(search)
  query.set('_denied', String(reason))
  return withSearch(path, query)
}

/** Returns a query string without the {@link SERVICE_PARAMETERS}. */
export function surveyQuery(query: URLSearchParams): string {
  const remaining = new URLSearchParams(query)
  for (const name of SERVICE_PARAMETERS) remaining.delete(name)
  return remaining.toString()
}

/** Returns the key of a response from a path segment of 40 hexadecimal digits; undefined for any other text. */
export const parseResponseKey = (text: string | undefined): Buffer | undefined =>
  text && /^[0-9a-f]{40}$/i.test(text) ? Buffer.from(text, 'hex') : undefined
