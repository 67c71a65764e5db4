import { expect, test } from '@jest/globals'
import { Tuples } from '../../../src/domain/response/export/output.ts'
import fc from '../../support/fast-check.ts'

/** Returns the binary COPY stream of rows. Each row is a list of fields. */
function copyOf(rows: readonly (readonly (Uint8Array | null)[])[]): Buffer {
  const int = (value: number, bytes: 2 | 4) => {
    const buffer = Buffer.alloc(bytes)
    buffer.writeIntBE(value, 0, bytes)
    return buffer
  }
  const field = (bytes: Uint8Array | null) => (bytes ? Buffer.concat([int(bytes.length, 4), bytes]) : int(-1, 4))
  return Buffer.concat([
    Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'),
    int(0, 4),
    int(0, 4),
    ...rows.flatMap((row) => [int(row.length, 2), ...row.map(field)]),
    int(-1, 2),
  ])
}

test('Tuples returns complete rows wherever the stream is split into chunks', () => {
  const field = fc.option(fc.uint8Array({ maxLength: 12 }))
  const rows = fc.array(fc.tuple(field, field, field), { maxLength: 8 })
  fc.assert(
    fc.property(rows, fc.array(fc.integer({ min: 0, max: 200 })), (expected, cuts) => {
      const stream = copyOf(expected)
      const at = [0, ...cuts.filter((cut) => cut < stream.length).sort((a, b) => a - b), stream.length]
      const tuples = new Tuples(3)
      const found: (number[] | null)[][] = []
      for (let i = 1; i < at.length; i += 1) {
        expect(tuples.ended).toBe(false)
        tuples.read(stream.subarray(at[i - 1], at[i]), (bytes) => {
          found.push(
            [0, 1, 2].map((n) =>
              tuples.start[n] === -1 ? null : [...bytes.subarray(tuples.start[n]!, tuples.end[n]!)],
            ),
          )
        })
      }
      expect(found).toEqual(expected.map((row) => row.map((bytes) => bytes && [...bytes])))
      expect(tuples.ended).toBe(true)
    }),
  )
})

test('Tuples reports that it has not ended after a truncated stream', () => {
  const tuples = new Tuples(1)
  tuples.read(copyOf([[Buffer.from('x')]]).subarray(0, -2), () => {})
  expect(tuples.ended).toBe(false)
})

test('Tuples throws an error for a row that does not have the expected number of fields', () => {
  expect(() => new Tuples(2).read(copyOf([[null]]), () => {})).toThrow('1 fields instead of 2')
})
