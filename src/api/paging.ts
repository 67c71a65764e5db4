import type { Page, Slice } from '../lib/paging.ts'

/** The paged envelope of version 3 (docs/specification.md 2.6). */
export interface Envelope<Item> {
  count: number
  next: string | null
  previous: string | null
  results: Item[]
}

export interface Paged<Item> {
  status: 200
  body: Envelope<Item>
  headers: { Link?: string }
}

const nameOf = (pair: string): string => {
  try {
    return decodeURIComponent(pair.split('=', 1)[0]!.replaceAll('+', ' '))
  } catch {
    return pair
  }
}

/** Characters that RFC 3986 does not allow in a query, such as `<` and `>`, and a `%` that encodes nothing. */
const NOT_IN_A_QUERY = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/gu

/** Returns the query string of another page. All other parameters are unchanged, except that access tokens are removed. */
function searchAt(search: string, name: 'page' | 'offset', place: number): string {
  const pairs = search
    .replace(/^\?/, '')
    .split('&')
    .filter((pair) => pair !== '' && nameOf(pair) !== 'access_token')
  const at = pairs.findIndex((pair) => nameOf(pair) === name)
  const kept = pairs.map((pair, index) => (index === at ? `${name}=${place}` : pair))
  const rest = kept.filter((pair, index) => index === at || nameOf(pair) !== name)
  if (at < 0) rest.push(`${name}=${place}`)
  return rest.join('&').replace(NOT_IN_A_QUERY, encodeURIComponent)
}

/**
 * Returns the reply with a page of a collection.
 * @param uri absolute address of the collection, without a query
 * @param search the raw query string of the request; `next` and `previous` keep its parameters
 * @param total number of items in the filtered collection
 * @returns status, envelope and the `Link` header (RFC 8288) with first, previous, next and last
 */
export function paged<Item>(uri: string, search: string, page: Page, total: number, results: Item[]): Paged<Item> {
  const last = page.first + Math.max(Math.ceil(total / page.limit) - 1, 0)
  const places = {
    first: page.first,
    prev: page.number > page.first ? Math.min(page.number - 1, last) : null,
    next: page.number < last ? page.number + 1 : null,
    last,
  }
  return envelope((place) => `${uri}?${searchAt(search, 'page', place)}`, places, total, results)
}

/** Does the same as {@link paged} for clients that use `offset` and `limit`. */
export function pagedByOffset<Item>(
  uri: string,
  search: string,
  { offset, limit }: Slice,
  total: number,
  results: Item[],
): Paged<Item> {
  const last = Math.max(Math.ceil(total / limit) - 1, 0) * limit
  const places = {
    first: 0,
    prev: offset > 0 ? Math.max(Math.min(offset - limit, last), 0) : null,
    next: offset + limit < total ? offset + limit : null,
    last,
  }
  return envelope((place) => `${uri}?${searchAt(search, 'offset', place)}`, places, total, results)
}

type Places = Record<'first' | 'prev' | 'next' | 'last', number | null>

function envelope<Item>(at: (place: number) => string, places: Places, total: number, results: Item[]): Paged<Item> {
  const targets = Object.entries(places).map(([rel, place]) => [rel, place === null ? null : at(place)] as const)
  const { next = null, prev: previous = null } = Object.fromEntries(targets)
  const link = targets.filter(([, target]) => target).map(([rel, target]) => `<${target}>; rel="${rel}"`)
  return { status: 200, body: { count: total, next, previous, results }, headers: { Link: link.join(', ') } }
}
