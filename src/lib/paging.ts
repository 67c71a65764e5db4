/** A part of an ordered collection. */
export interface Slice {
  /** Items to skip. */
  offset: number
  /** Maximum number of items. */
  limit: number
}

/** A slice by page number. */
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

/**
 * Returns the size of a page. An absent, zero or negative size means the default; a size above the maximum means the
 * maximum.
 */
const sizeOf = (requested: number | undefined, { default: defaultSize, max }: Sizes): number =>
  requested === undefined || !(requested > 0) ? defaultSize : Math.min(Math.floor(requested), max)

/** Limits an offset to the range of safe integers. */
const safeOffset = (offset: number): number => Math.min(Math.max(Math.floor(offset) || 0, 0), Number.MAX_SAFE_INTEGER)

/**
 * Returns the slice of a page number. If `first` is 1, the pages 0 and 1 are both the first page, because some clients
 * count from 0. A negative number means the first page too.
 */
export function pageOf({
  page,
  pageSize,
  first,
  ...sizes
}: { page?: number | undefined; pageSize?: number | undefined; first: 0 | 1 } & Sizes): Page {
  const limit = sizeOf(pageSize, sizes)
  const number = Math.max(safeOffset(page ?? first), first)
  return { number, first, limit, offset: safeOffset((number - first) * limit) }
}

/** Returns the slice of an offset and a limit. */
export const sliceOf = ({
  offset,
  limit,
  ...sizes
}: { offset?: number | undefined; limit?: number | undefined } & Sizes): Slice => ({
  offset: safeOffset(offset ?? 0),
  limit: sizeOf(limit, sizes),
})
