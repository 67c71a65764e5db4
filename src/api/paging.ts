import type { Page } from '../lib/paging.ts'

/** The paged list of v3 (specification, "Paged list envelope"). */
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

/** Everything RFC 3986 does not allow in a query, `<` and `>` among it; a `%` that encodes nothing counts as such. */
const NOT_IN_A_QUERY = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/gu

/** The query string of the same list at another page: every other parameter stays where and as it is. */
function searchAt(search: string, page: number): string {
  const pairs = search.replace(/^\?/, '').split('&').filter(Boolean)
  const at = pairs.findIndex((pair) => nameOf(pair) === 'page')
  const kept = pairs.map((pair, index) => (index === at ? `page=${page}` : pair))
  const rest = kept.filter((pair, index) => index === at || nameOf(pair) !== 'page')
  if (at < 0) rest.push(`page=${page}`)
  return rest.join('&').replace(NOT_IN_A_QUERY, encodeURIComponent)
}

/**
 * The answer to a request for one page of a v3 collection.
 * @param uri absolute address of the collection, without a query
 * @param search the raw query string of the request: `next` and `previous` keep every parameter of it
 * @param total items in the whole collection, as filtered
 * @returns status, envelope and the `Link` header (RFC 8288) with first, previous, next and last
 */
export function paged<Item>(uri: string, search: string, page: Page, total: number, results: Item[]): Paged<Item> {
  const last = page.first + Math.max(Math.ceil(total / page.limit) - 1, 0)
  const at = (number: number) => `${uri}?${searchAt(search, number)}`
  const next = page.number < last ? at(page.number + 1) : null
  const previous = page.number > page.first ? at(Math.min(page.number - 1, last)) : null
  const link = Object.entries({ first: at(page.first), prev: previous, next, last: at(last) })
    .filter(([, target]) => target)
    .map(([rel, target]) => `<${target}>; rel="${rel}"`)
  return { status: 200, body: { count: total, next, previous, results }, headers: { Link: link.join(', ') } }
}
