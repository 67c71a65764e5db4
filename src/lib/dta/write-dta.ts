import { cutToBytes } from '../excerpt.ts'

/** Maximum length of a text that is stored in its observation, in bytes. */
export const MAX_SHORT_TEXT_BYTES = 2_045
export const MAX_VARIABLES = 32_767
/** Maximum lengths of names and labels: characters of a label, bytes of other texts. */
export const MAX_LABEL_CHARACTERS = 80
const MAX_VALUE_LABEL_BYTES = 32_000
const MAX_NOTE_BYTES = 67_783
const NAME_BYTES = 129
const FORMAT_BYTES = 57
const LABEL_BYTES = 321

/** How a variable is stored: a number, a text with a maximum length in bytes, or a text of any length. */
export type DtaStorage = 'byte' | 'long' | 'double' | 'strL' | number
const TYPES = { byte: 65_530, long: 65_528, double: 65_526, strL: 32_768 } as const
const WIDTHS = { byte: 1, long: 4, double: 8, strL: 8 } as const

export interface DtaVariable {
  /** At most 32 letters, digits and underscores; the first is a letter. */
  name: string
  label: string
  storage: DtaStorage
  /** How Stata shows the values, such as `%td`. */
  format: string
  /** Labels of integers. */
  values: readonly { value: number; label: string }[]
  /** Why values are missing: they are `.a` with this label. Absent: they are `.`. */
  missing?: string | undefined
  notes: readonly string[]
}

export interface DtaFile {
  title: string
  created: Date
  cases: number
  /** Total length of the long texts as {@link longTextBytes} counts them. */
  longTexts: number
  variables: readonly DtaVariable[]
}

/** `.a` among the labels of values. */
const MISSING_A = 2_147_483_622
/** Numbers from which on a number is missing: `.`, and `.a`. */
const MISSING = {
  byte: [101, 102],
  long: [2_147_483_621, MISSING_A],
  double: [2 ** 1023, Buffer.from('7fe0010000000000', 'hex').readDoubleBE()],
} as const
const LOWEST = { byte: -127, long: -2_147_483_647, double: -(2 ** 1023) } as const

const widthOf = (storage: DtaStorage): number => (typeof storage === 'number' ? storage : WIDTHS[storage])

/** Returns the position of each of the parts that follow each other, and the position after the last one. */
function offsetsOf(lengths: readonly number[], first = 0): number[] {
  const offsets = [first]
  for (const length of lengths) offsets.push(offsets.at(-1)! + length)
  return offsets
}

/** Returns the number of bytes of an observation, without its long texts. */
export const observationBytes = (storages: readonly DtaStorage[]): number =>
  storages.reduce<number>((sum, storage) => sum + widthOf(storage), 0)

const uint16 = (...values: number[]): Buffer => Buffer.from(Uint16Array.from(values).buffer)
const int32 = (...values: number[]): Buffer => Buffer.from(Int32Array.from(values).buffer)
const uint64 = (...values: number[]): Buffer => Buffer.from(BigUint64Array.from(values.map(BigInt)).buffer)

/** Returns a text that is cut, or filled up with zeros, to a number of bytes. The last byte is zero. */
function field(text: string, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.write(cutToBytes(text, length - 1))
  return bytes
}

const tagged = (name: string, ...parts: Buffer[]): Buffer =>
  Buffer.concat([Buffer.from(`<${name}>`), ...parts, Buffer.from(`</${name}>`)])

const shortLabel = (label: string): string => [...label].slice(0, MAX_LABEL_CHARACTERS).join('')

const DATA = Buffer.from('<data>')
const AFTER_DATA = Buffer.from('</data><strls>')
const END = Buffer.from('</stata_dta>')
const MAP_BYTES = '<map></map>'.length + 14 * 8

/** The parts of a file that do not contain observations or long texts. */
export interface DtaSections {
  beforeData: Buffer
  afterData: Buffer
  afterLongTexts: Buffer
}

/** Returns the sections of a file. */
export function dtaSections(file: DtaFile): DtaSections {
  const { title, created, cases, variables } = file
  const [, day, month, year = '', time = ''] = created.toUTCString().split(' ')
  const timestamp = Buffer.from(`${day} ${month} ${year} ${time.slice(0, 5)}`)
  const label = Buffer.from(shortLabel(title))
  const start = Buffer.concat([
    Buffer.from('<stata_dta>'),
    tagged(
      'header',
      tagged('release', Buffer.from('118')),
      tagged('byteorder', Buffer.from('LSF')),
      tagged('K', uint16(variables.length)),
      tagged('N', uint64(cases)),
      tagged('label', uint16(label.length), label),
      tagged('timestamp', Buffer.of(timestamp.length), timestamp),
    ),
  ])
  const storages = variables.map(({ storage }) => storage)
  const sections = [
    tagged('variable_types', uint16(...storages.map((one) => (typeof one === 'number' ? one : TYPES[one])))),
    tagged('varnames', ...variables.map(({ name }) => field(name, NAME_BYTES))),
    tagged('sortlist', Buffer.alloc(2 * (variables.length + 1))),
    tagged('formats', ...variables.map(({ format }) => field(format, FORMAT_BYTES))),
    tagged('value_label_names', ...variables.map((one) => field(labelsOf(one).length > 0 ? one.name : '', NAME_BYTES))),
    tagged('variable_labels', ...variables.map((one) => field(shortLabel(one.label), LABEL_BYTES))),
    tagged('characteristics', ...variables.flatMap(notesOf)),
  ]
  const valueLabels = tagged('value_labels', ...variables.flatMap(valueLabelsOf))
  const afterLongTexts = Buffer.concat([Buffer.from('</strls>'), valueLabels, END])

  const positions = offsetsOf(
    sections.map(({ length }) => length),
    start.length + MAP_BYTES,
  )
  const data = positions.at(-1)!
  const longTexts = data + DATA.length + cases * observationBytes(storages) + '</data>'.length
  const labels = longTexts + '<strls></strls>'.length + file.longTexts
  const end = labels + valueLabels.length
  const map = tagged('map', uint64(0, start.length, ...positions, longTexts, labels, end, end + END.length))
  return { beforeData: Buffer.concat([start, map, ...sections, DATA]), afterData: AFTER_DATA, afterLongTexts }
}

/** Returns the labels of the values of a variable, in ascending order. */
function labelsOf({ values, missing }: DtaVariable): readonly { value: number; label: string }[] {
  const all = missing === undefined ? values : [...values, { value: MISSING_A, label: missing }]
  return all.toSorted((a, b) => a.value - b.value)
}

function valueLabelsOf(variable: DtaVariable): Buffer[] {
  const labels = labelsOf(variable)
  if (labels.length === 0) return []
  const texts = labels.map(({ label }) => Buffer.from(`${cutToBytes(label, MAX_VALUE_LABEL_BYTES)}\0`))
  const offsets = offsetsOf(texts.map(({ length }) => length))
  const table = Buffer.concat([
    int32(labels.length, offsets.at(-1)!, ...offsets.slice(0, -1), ...labels.map(({ value }) => value)),
    ...texts,
  ])
  return [tagged('lbl', int32(table.length), field(variable.name, NAME_BYTES), Buffer.alloc(3), table)]
}

/** Returns the notes of a variable: the characteristics `note1`, `note2` and so on, and their number as `note0`. */
function notesOf({ name, notes }: DtaVariable): Buffer[] {
  if (notes.length === 0) return []
  return [String(notes.length), ...notes].map((note, i) => {
    const text = Buffer.from(`${cutToBytes(note, MAX_NOTE_BYTES)}\0`)
    return tagged(
      'ch',
      int32(2 * NAME_BYTES + text.length),
      field(name, NAME_BYTES),
      field(`note${i}`, NAME_BYTES),
      text,
    )
  })
}

/** Bytes before a long text: `GSO`, variable, observation, kind, length. */
const LONG_TEXT_HEADER_BYTES = 20
const LONG_TEXT_KIND = 130

/** Returns the number of bytes in which a long text is stored. A blank one is not stored. */
export const longTextBytes = (length: number): number => (length === 0 ? 0 : LONG_TEXT_HEADER_BYTES + length + 1)

/** Returns the bytes before a long text; a zero follows the text. Variables and observations count from 1. */
export function longTextHeader(variable: number, observation: number, length: number): Buffer {
  const bytes = Buffer.alloc(LONG_TEXT_HEADER_BYTES)
  bytes.write('GSO')
  bytes.writeUInt32LE(variable, 3)
  bytes.writeUIntLE(observation, 7, 6)
  bytes.writeUInt8(LONG_TEXT_KIND, 15)
  bytes.writeUInt32LE(length + 1, 16)
  return bytes
}

/** An observation. Its values can be written in any order. */
export class DtaObservation {
  readonly bytes: Buffer
  readonly #variables: readonly Pick<DtaVariable, 'storage' | 'missing'>[]
  readonly #positions: readonly number[]

  constructor(variables: readonly Pick<DtaVariable, 'storage' | 'missing'>[]) {
    this.#variables = variables
    this.#positions = offsetsOf(variables.map(({ storage }) => widthOf(storage)))
    this.bytes = Buffer.alloc(this.#positions.at(-1)!)
  }

  /** Writes a number. NaN, and a number that the storage cannot hold, is a missing value. */
  number(index: number, value: number): void {
    const { storage, missing } = this.#variables[index]!
    if (storage !== 'byte' && storage !== 'long' && storage !== 'double') throw new Error('a text, not a number')
    const [none, named] = MISSING[storage]
    const isIn = value < none && value >= LOWEST[storage]
    const stored = isIn ? value : missing === undefined ? none : named
    const at = this.#positions[index]!
    if (storage === 'byte') this.bytes.writeInt8(stored, at)
    else if (storage === 'long') this.bytes.writeInt32LE(stored, at)
    else this.bytes.writeDoubleLE(stored, at)
  }

  /** Writes a text. @param observation the number of the observation, from 1 */
  text(index: number, text: Uint8Array, start: number, end: number, observation: number): void {
    const { storage } = this.#variables[index]!
    const at = this.#positions[index]!
    if (storage === 'strL') {
      this.bytes.writeUInt16LE(end > start ? index + 1 : 0, at)
      this.bytes.writeUIntLE(end > start ? observation : 0, at + 2, 6)
      return
    }
    const width = storage as number
    if (end - start > width) throw new Error(`a text of ${end - start} bytes does not fit into ${width} bytes`)
    this.bytes.set(text.subarray(start, end), at)
    this.bytes.fill(0, at + end - start, at + width)
  }
}
