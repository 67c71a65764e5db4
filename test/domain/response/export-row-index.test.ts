import { describe, expect, it } from '@jest/globals'
import { RowIndex } from '../../../src/domain/response/export/file.ts'

const BLOCK_BYTES = 65_536

/** Returns the index of a file in which a row begins at each multiple of 64 KiB. */
function indexOf(blocks: number): RowIndex {
  const index = new RowIndex()
  for (let id = 1; id <= blocks; id += 1) index.add({ offset: id * BLOCK_BYTES, id })
  return index
}

describe('RowIndex', () => {
  it('returns the last kept row boundary at or before an offset', () => {
    const index = indexOf(100)
    expect(index.before(0)).toBeUndefined()
    expect(index.before(4 * BLOCK_BYTES - 1)).toBeUndefined()
    expect(index.before(4 * BLOCK_BYTES)).toEqual({ offset: 4 * BLOCK_BYTES, id: 4 })
    expect(index.before(51 * BLOCK_BYTES)).toEqual({ offset: 48 * BLOCK_BYTES, id: 48 })
    expect(index.before(Number.POSITIVE_INFINITY)).toEqual(index.last)
  })

  it('ignores boundaries before its last boundary, as they occur when the file is written again', () => {
    const index = indexOf(100)
    index.add({ offset: 6 * BLOCK_BYTES, id: 6 })
    expect(index.before(7 * BLOCK_BYTES)!.id).toBe(4)
    expect(index.last!.id).toBe(100)
  })

  it('keeps a limited number of boundaries for a long file', () => {
    const blocks = 200_000
    const index = indexOf(blocks)
    const found = new Set<number>()
    let furthest = 0
    for (let id = 100; id <= blocks; id += 1) {
      const boundary = index.before(id * BLOCK_BYTES)
      if (boundary) found.add(boundary.id)
      furthest = Math.max(furthest, id - (boundary?.id ?? 0))
    }
    expect(found.size).toBeLessThan(2_048)
    expect(found.size).toBeGreaterThan(1_000)
    // An export that is resumed writes less than 1/700 of the file again.
    expect(furthest).toBeLessThan(blocks / 700)
  })
})
