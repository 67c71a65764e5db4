/** A part of an ordered collection. */
export interface Slice {
  /** Items to skip. */
  offset: number
  /** Maximum number of items. */
  limit: number
}

/** A slice by page number, as version 3 counts. */
export interface Page extends Slice {
  /** The page number; the first page has the number `first`. */
  number: number
  first: 0 | 1
}

/** The default and the maximum number of items of a page. */
export interface Sizes {
  default: number
  max: number
}

/** Returns the size of a page: the default for an absent, zero or negative size, at most the maximum. */
const sizeOf = (asked: number | undefined, { default: usual, max }: Sizes): number =>
  asked === undefined || !(asked > 0) ? usual : Math.min(Math.floor(asked), max)

/** The largest offset that PostgreSQL accepts. */
const within = (offset: number): number => Math.min(Math.max(Math.floor(offset) || 0, 0), Number.MAX_SAFE_INTEGER)

/**
 * Returns the slice of a page number. With `first` 1, pages 0 and 1 are both the first page, for clients that count from 0 and
 * for clients that count from 1; a lower number is the first page as well.
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

/** Returns the slice of `offset` and `limit`, as version 2 names them. */
export const sliceOf = ({
  offset,
  limit,
  ...sizes
}: { offset?: number | undefined; limit?: number | undefined } & Sizes): Slice => ({
  offset: within(offset ?? 0),
  limit: sizeOf(limit, sizes),
})
