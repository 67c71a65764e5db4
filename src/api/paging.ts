/** How one kind of v3 list counts its pages. */
export interface Paging {
  /** The number of the first page. */
  first: 0 | 1
  size: number
  most: number
}

/** Every v3 list but one; page 0 means page 1. */
export const COLLECTION: Paging = { first: 1, size: 10, most: 100 }
/** The v3 list of responses (specification, "Limits"). */
export const RESPONSES: Paging = { first: 0, size: 50, most: 200 }

/** A count of entries: zero or less means the usual one, more than the most means the most. */
const bounded = (asked: number | undefined, usual: number, most: number) =>
  asked === undefined || asked <= 0 ? usual : Math.min(asked, most)

/** The slice that `page` and `page_size` ask for. */
export function slice({ page, page_size }: { page?: number; page_size?: number }, paging: Paging) {
  const number = Math.max(page ?? paging.first, paging.first)
  const limit = bounded(page_size, paging.size, paging.most)
  return { page: number, offset: (number - paging.first) * limit, limit }
}

/** The slice that v2's `offset` and `limit` ask for. */
export const window = ({ offset = 0, limit }: { offset?: number; limit?: number }, usual: number, most: number) => ({
  offset,
  limit: bounded(limit, usual, most),
})

/**
 * The envelope of a v3 page and its `Link` header (RFC 8288). The neighbours' addresses keep the query as it was sent,
 * operators in filters included.
 * @param address of the list, absolute, without a query
 * @param search the query string as it was sent, without its `?`
 */
export function envelope<T>(
  { address, search, total, paging }: { address: string; search: string; total: number; paging: Paging },
  { page, limit }: { page: number; limit: number },
  results: T[],
) {
  const last = paging.first + Math.max(Math.ceil(total / limit), 1) - 1
  const others = search.split('&').filter((pair) => pair !== '' && !/^page(=|$)/.test(pair))
  const at = (number: number) => `${address}?${[...others, `page=${number}`].join('&')}`
  const next = page < last ? at(page + 1) : null
  const previous = page > paging.first ? at(Math.min(page - 1, last)) : null
  const links = [next && `<${next}>; rel="next"`, previous && `<${previous}>; rel="prev"`].filter(
    (link) => link !== null,
  )
  const headers: Record<string, string> = links.length ? { Link: links.join(', ') } : {}
  return { status: 200 as const, body: { count: total, next, previous, results }, headers }
}
