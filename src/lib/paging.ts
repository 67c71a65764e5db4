/** Which part of an ordered collection is asked for. */
export interface Slice {
  /** Items before it. */
  offset: number
  /** Items in it, at most. */
  limit: number
}

/** A slice named by a page number, as v3 counts. */
export interface Page extends Slice {
  /** The number of the page; the first page has the number `first`. */
  number: number
  first: 0 | 1
}

/** How many items come when the request does not say, and how many come at most. */
export interface Sizes {
  default: number
  max: number
}

/** Absent, 0 or not positive is the default; above the maximum is the maximum. */
const sizeOf = (asked: number | undefined, { default: usual, max }: Sizes): number =>
  asked === undefined || !(asked > 0) ? usual : Math.min(Math.floor(asked), max)

/** Beyond this the database could not count; nothing is there anyway. */
const within = (offset: number): number => Math.min(Math.max(Math.floor(offset) || 0, 0), Number.MAX_SAFE_INTEGER)

/**
 * The slice of a page number. With `first` 1 the pages 0 and 1 are both the first one, so that clients which count from
 * 0 and clients which count from 1 both get it; anything below is the first page too.
 */
export function pageOf({
  page,
  pageSize,
  first,
  ...sizes
}: { page?: number | undefined; pageSize?: number | undefined; first: 0 | 1 } & Sizes): Page {
  const limit = sizeOf(pageSize, sizes)
  const number = Math.max(within(page ?? first), first)
  return { number, first, limit, offset: within((number - first) * limit) }
}

/** The slice of v2's `offset` and `limit`. */
export const sliceOf = ({
  offset,
  limit,
  ...sizes
}: { offset?: number | undefined; limit?: number | undefined } & Sizes): Slice => ({
  offset: within(offset ?? 0),
  limit: sizeOf(limit, sizes),
})
