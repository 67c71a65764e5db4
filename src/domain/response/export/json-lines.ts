import type { StoredResponse } from '../filter/where.ts'
import type { FileColumn, Lines } from './file.ts'
import type { Output, Tuples } from './output.ts'
import { integerAt } from './output.ts'

type Column = keyof StoredResponse & string

/** Reads a value from PostgreSQL's binary format, as the driver returns it. */
type Reader = (bytes: Buffer, start: number, end: number) => unknown

const text: Reader = (bytes, start, end) => bytes.toString('utf8', start, end)
const time: Reader = (bytes, start, end) => {
  const iso = new Date(Math.floor(integerAt(bytes, start, end) / 1e6) * 1000 + Date.UTC(2000, 0)).toISOString()
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}+00`
}

/** The columns of which a response consists. */
const READERS: Partial<Record<Column, Reader>> = {
  id: integerAt,
  key: (bytes, start, end) => Buffer.from(bytes.subarray(start, end)),
  completed: integerAt,
  created_at: time,
  updated_at: time,
  username: text,
  ip_address: text,
  locale: integerAt,
  language: text,
  weighted_score: (bytes, start) => bytes.readDoubleBE(start),
  referrer: text,
  get_variables: text,
  pagepath: text,
  saves: integerAt,
  completion_time: integerAt,
  collector_id: integerAt,
  invite_code: text,
  invite_email: text,
  invite_name: text,
  // A version byte precedes the text of jsonb.
  answers: (bytes, start, end) => JSON.parse(bytes.toString('utf8', start + 1, end)),
}

/** Writes one line per response: an object as the list of responses contains it. */
export class JsonLines implements Lines {
  readonly fields = Object.keys(READERS)
  readonly header = ''
  readonly columns: readonly FileColumn[] = []
  readonly #readers = Object.entries(READERS)
  readonly #view: (row: StoredResponse) => object

  /** @param view returns a response as the API does */
  constructor(view: (row: StoredResponse) => object) {
    this.#view = view
  }

  write({ start, end }: Tuples, bytes: Buffer, _: number, out: Output): void {
    const row = this.#readers.map(([column, read], i) => [
      column,
      start[i] === -1 ? null : read(bytes, start[i]!, end[i]!),
    ])
    const line = Buffer.from(`${JSON.stringify(this.#view(Object.fromEntries(row) as StoredResponse))}\n`)
    out.reserve(line.length)
    out.raw(line, 0, line.length)
  }
}
