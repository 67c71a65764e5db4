import { type MetaType, STATE_LABELS } from '../../structure/meta-fields.ts'
import { type CellFormat, textCell } from './cell.ts'
import type { Output } from './output.ts'

/** Writes the value of a meta field from PostgreSQL's binary format. */
export type MetaWriter = (bytes: Buffer, start: number, end: number, out: Output) => void

const writeInteger: MetaWriter = (bytes, start, end, out) => out.integer(integerAt(bytes, start, end))

/** Writers of meta fields by type, from PostgreSQL's binary format. */
export const metaWriters: Readonly<Record<Exclude<MetaType, 'key'>, (format: CellFormat) => MetaWriter>> = {
  state: (format) => {
    const labels = (format.states ?? STATE_LABELS).map((label) => Buffer.from(textCell(label, format)))
    return (bytes, _, end, out) => out.prepared(labels[bytes[end - 1]!]!)
  },
  integer: () => writeInteger,
  collector: () => writeInteger,
  float: () => (bytes, start, _, out) => out.float(bytes.readDoubleBE(start)),
  // The number of microseconds since 2000-01-01. A double represents this number exactly until the year 2285.
  time: () => (bytes, start, end, out) => out.time(Math.floor(integerAt(bytes, start, end) / 1e6)),
  text: () => (bytes, start, end, out) => out.text(bytes, start, end),
}

/** Reads an int2, int4 or int8 in network byte order. */
export function integerAt(bytes: Buffer, start: number, end: number): number {
  const low = end - start === 2 ? bytes.readInt16BE(start) : bytes.readInt32BE(start)
  return end - start === 8 ? low * 0x1_0000_0000 + bytes.readUInt32BE(start + 4) : low
}
