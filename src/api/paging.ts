import { problems } from '../domain/problem.ts'
import type { Page, Slice } from '../lib/paging.ts'

/** The paged envelope of version 3 (docs/specification.md 2.6). */
interface Envelope<Item> {
  count: number
  next: string | null
  previous: string | null
  results: Item[]
}

interface Paged<Item> {
  status: 200
  body: Envelope<Item>
  headers: { Link?: string }
}

const nameOf = (parameter: string): string => {
  try {
    return decodeURIComponent(parameter.split('=', 1)[0]!.replaceAll('+', ' '))
  } catch {
    return parameter
  }
}

/**
 * Matches characters that RFC 3986 does not allow in a query, such as `<` and `>`, and a `%` that is not followed by
 * two hexadecimal digits.
 */
const INVALID_IN_QUERY = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/gu

/**
 * Returns the query string for another page of the same list. Removes access tokens, and keeps all other parameters.
 */
function searchAt(search: string, name: 'page' | 'offset', position: number): string {
  const parameters = search
    .replace(/^\?/, '')
    .split('&')
    .filter((parameter) => parameter !== '' && nameOf(parameter) !== 'access_token')
  const first = parameters.findIndex((parameter) => nameOf(parameter) === name)
  if (first < 0) parameters.push(`${name}=${position}`)
  else parameters[first] = `${name}=${position}`
  return parameters
    .filter((parameter, index) => index === first || first < 0 || nameOf(parameter) !== name)
    .join('&')
    .replace(INVALID_IN_QUERY, encodeURIComponent)
}

/**
 * Returns the reply with a page of a collection.
 * @param uri absolute URL of the collection, without a query
 * @param search the raw query string of the request; the URLs in `next` and `previous` keep its parameters
 * @param total number of items in the filtered collection
 * @returns status, envelope and the `Link` header (RFC 8288) with first, previous, next and last
 */
export function pageReply<Item>(uri: string, search: string, page: Page, total: number, results: Item[]): Paged<Item> {
  const last = page.first + Math.max(Math.ceil(total / page.limit) - 1, 0)
  const positions = {
    first: page.first,
    prev: page.number > page.first ? Math.min(page.number - 1, last) : null,
    next: page.number < last ? page.number + 1 : null,
    last,
  }
  return envelope((position) => `${uri}?${searchAt(search, 'page', position)}`, positions, total, results)
}

/** Does the same as {@link pageReply}, but the URLs use `offset` and `limit`. */
export function offsetPageReply<Item>(
  uri: string,
  search: string,
  { offset, limit }: Slice,
  total: number,
  results: Item[],
): Paged<Item> {
  const last = Math.max(Math.ceil(total / limit) - 1, 0) * limit
  const positions = {
    first: 0,
    prev: offset > 0 ? Math.max(Math.min(offset - limit, last), 0) : null,
    next: offset + limit < total ? offset + limit : null,
    last,
  }
  return envelope((position) => `${uri}?${searchAt(search, 'offset', position)}`, positions, total, results)
}

type Positions = Record<'first' | 'prev' | 'next' | 'last', number | null>

function envelope<Item>(
  at: (position: number) => string,
  positions: Positions,
  total: number,
  results: Item[],
): Paged<Item> {
  const targets = Object.entries(positions).map(
    ([rel, position]) => [rel, position === null ? null : at(position)] as const,
  )
  const { next = null, prev: previous = null } = Object.fromEntries(targets)
  const link = targets.filter(([, target]) => target).map(([rel, target]) => `<${target}>; rel="${rel}"`)
  return { status: 200, body: { count: total, next, previous, results }, headers: { Link: link.join(', ') } }
}

/**
 * Parses IDs from a list or from a text with `+`, spaces or commas as separators (`1+2+3`, docs/specification.md 7.8).
 * Removes duplicates. JavaScript can round a number of 16 digits, but stored IDs have fewer digits.
 * @param field the name of the field, for errors
 * @throws {Problem} `invalid_request` for an empty list or an invalid ID
 */
export function idsOf(field: string, input: string | number | readonly (string | number)[] | undefined): number[] {
  const texts = [input ?? []].flat().flatMap((text) =>
    String(text)
      .split(/[+, ]+/)
      .filter(Boolean),
  )
  if (!texts.length) throw problems.invalidField(field, 'missing_parameter', {}, 'must have at least one ID')
  const invalid = texts.find((text) => !/^\d{1,16}$/.test(text))
  if (invalid !== undefined) throw problems.invalidField(field, 'invalid_id', { value: invalid.slice(0, 40) })
  return [...new Set(texts.map(Number))]
}
