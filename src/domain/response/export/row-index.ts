import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'

/** A row boundary of a file. */
export interface RowBoundary {
  /** Bytes before the row. */
  offset: number
  /** Id of the response whose first line begins at the boundary. */
  id: number
}

/** Distance between boundaries at first. The distance doubles whenever a file has {@link MAX_BOUNDARIES}. */
const MIN_SPACING_BYTES = 256 * 1024
const MAX_BOUNDARIES = 2_048
/** Maximum number of files whose boundaries a server keeps. The boundaries of a file take at most 64 KB. */
const MAX_FILES = 100

/**
 * The length and some row boundaries of a file, collected while the file is written. Writing can begin at any boundary,
 * so the end of a file can be sent without writing the part before it.
 */
export class RowIndex {
  /** Length of the file in bytes; undefined until the whole file has been written. */
  length: number | undefined
  /** Number of responses in the file; undefined until the whole file has been written at once. */
  rows: number | undefined
  #boundaries: RowBoundary[] = []
  #spacing = MIN_SPACING_BYTES

  /** Adds a boundary, unless it lies before the last boundary or close to it. */
  add(boundary: RowBoundary): void {
    if (boundary.offset < (this.last?.offset ?? 0) + this.#spacing) return
    this.#boundaries.push(boundary)
    if (this.#boundaries.length < MAX_BOUNDARIES) return
    this.#boundaries = this.#boundaries.filter((_, position) => position % 2 === 1)
    this.#spacing *= 2
  }

  /** Deletes the length and all boundaries, because the file no longer has the bytes for which they were collected. */
  clear(): void {
    this.length = undefined
    this.#boundaries = []
  }

  get last(): RowBoundary | undefined {
    return this.#boundaries.at(-1)
  }

  /** Returns the last boundary at or before an offset; undefined if there is none. */
  before(offset: number): RowBoundary | undefined {
    let [low, high] = [0, this.#boundaries.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#boundaries[middle]!.offset <= offset) low = middle + 1
      else high = middle
    }
    return this.#boundaries[low - 1]
  }
}

const caches = new WeakMap<Pool, LRUCache<string, RowIndex>>()

/** Returns the index of the file with an ETag. A new index is empty. Indexes are lost when the server stops. */
export function rowIndexOf(pool: Pool, etag: string): RowIndex {
  let cache = caches.get(pool)
  if (!cache) {
    cache = new LRUCache({ max: MAX_FILES })
    caches.set(pool, cache)
  }
  let index = cache.get(etag)
  if (!index) {
    index = new RowIndex()
    cache.set(etag, index)
  }
  return index
}
