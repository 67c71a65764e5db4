import { cutToBytes } from '../excerpt.ts'

/** Maximum length of a text in bytes. */
export const MAX_TEXT_BYTES = 32_767
/** Maximum lengths of labels, in bytes. */
const MAX_LABEL_BYTES = 255
const MAX_VALUE_LABEL_BYTES = 120
/** The labels of longer texts are left out: each of them is filled up to the width of its variable. */
const MAX_LABELLED_BYTES = 255

/** The format in which programs show a variable, by its number in the file: `[format, width, decimals]`. */
export type SavFormat = readonly [format: 'F' | 'SDATE' | 'TIME' | 'DATETIME', width: number, decimals: number]
const FORMATS = { A: 1, F: 5, TIME: 21, DATETIME: 22, SDATE: 39 } as const
const MEASURES = { nominal: 1, ordinal: 2, scale: 3 } as const

export interface SavVariable {
  /** At most 64 letters, digits and underscores; the first is a letter. */
  name: string
  label: string
  /** The format of a number, or the maximum length of a text in bytes, from 1 to {@link MAX_TEXT_BYTES}. */
  content: SavFormat | number
  measure: keyof typeof MEASURES
  values: readonly { value: string; label: string }[]
}

/** Variables that are 1 for what a respondent ticked: a multiple response set. */
export interface SavSet {
  name: string
  label: string
  variables: readonly string[]
}

export interface SavFile {
  title: string
  product: string
  created: Date
  cases: number
  variables: readonly SavVariable[]
  sets: readonly SavSet[]
}

/** A text of more than 255 bytes is stored as several variables, each with 255 bytes. */
const SEGMENT_BYTES = 255
/** The number of bytes by which programs calculate the number of segments. */
const COUNTED_BYTES = 252

/** Returns the widths of the segments of a text. */
function segmentsOf(width: number): number[] {
  if (width <= SEGMENT_BYTES) return [width]
  const count = Math.ceil(width / COUNTED_BYTES)
  return Array.from({ length: count }, (_, i) => (i < count - 1 ? SEGMENT_BYTES : width - i * COUNTED_BYTES))
}

/** Returns the number of units of eight bytes in which a value is stored. */
const unitsOf = (width: number): number => Math.ceil(width / 8)

/** All servers on which the service runs are little endian, as the file is. */
const integers = (...values: number[]): Buffer => Buffer.from(Int32Array.from(values).buffer)
const doubles = (...values: number[]): Buffer => Buffer.from(Float64Array.from(values).buffer)

/** Returns a text, cut or with spaces up to a number of bytes. */
function padded(text: string, length: number): Buffer {
  const bytes = Buffer.alloc(length, ' ')
  bytes.write(cutToBytes(text, length))
  return bytes
}

const shortLabel = (label: string, maxBytes: number): string => cutToBytes(label, maxBytes).trimEnd()

/** Returns a text after its length in bytes. */
const counted = (text: string | Buffer): Buffer => {
  const bytes = Buffer.from(text)
  return Buffer.concat([integers(bytes.length), bytes])
}

/** Returns an extension record: its kind, the size of its elements and their bytes. */
const extension = (kind: number, size: number, bytes: Buffer): Buffer =>
  Buffer.concat([integers(7, kind, size, bytes.length / size), bytes])

/** A variable of the file: a number, or a segment of a text. */
interface Part {
  /** A name of at most eight characters that no variable has. */
  short: string
  variable: SavVariable
  /** Width of the segment; 0 for a number. */
  width: number
  isFirst: boolean
  /** Position in units of eight bytes, from 1. */
  position: number
}

function partsOf(variables: readonly SavVariable[]): { parts: Part[]; units: number } {
  const names = new Set(variables.map(({ name }) => name.toUpperCase()))
  const parts: Part[] = []
  let [position, segments] = [1, 0]
  /** SPSS finds the segments of a text by the first five characters of its name. */
  const segmentName = (name: string): string => {
    const short = `${name.slice(0, 5)}${(segments++).toString(36).padStart(3, '0')}`.toUpperCase()
    return names.has(short) ? segmentName(name) : short
  }
  for (const variable of variables) {
    const widths = typeof variable.content === 'number' ? segmentsOf(variable.content) : [0]
    for (const [i, width] of widths.entries()) {
      const short = i === 0 ? `@${parts.length + 1}` : segmentName(variable.name)
      parts.push({ short, variable, width, isFirst: i === 0, position })
      position += Math.max(1, unitsOf(width))
    }
  }
  return { parts, units: position - 1 }
}

/** Returns the beginning of a system file of SPSS: all records before the cases. */
export function savDictionary(file: SavFile): Buffer {
  const { parts, units } = partsOf(file.variables)
  const firsts = parts.filter(({ isFirst }) => isFirst)
  const longs = firsts.filter(({ variable: { content } }) => typeof content === 'number' && content > SEGMENT_BYTES)
  const labelled = firsts.filter(({ variable: { values } }) => values.length > 0)
  return Buffer.concat([
    headerOf(file, units),
    ...parts.flatMap(variableRecords),
    ...labelled.filter(({ width }) => width <= 8).map(valueLabels),
    // Integers about the machine: version, machine, IEEE 754, compression, little endian, UTF-8.
    extension(3, 4, integers(20, 0, 0, -1, 1, 1, 2, 65_001)),
    // Floats: missing, the highest and the lowest number.
    extension(4, 8, Buffer.concat([doubles(-Number.MAX_VALUE, Number.MAX_VALUE), LOWEST])),
    ...(file.sets.length > 0 ? [extension(7, 1, Buffer.from(setLines(file.sets, firsts)))] : []),
    extension(11, 4, integers(...parts.flatMap(displayOf))),
    extension(13, 1, Buffer.from(firsts.map(({ short, variable: { name } }) => `${short}=${name}`).join('\t'))),
    ...(longs.length > 0 ? [extension(14, 1, Buffer.from(longs.map(longWidth).join('')))] : []),
    extension(16, 8, Buffer.from(BigInt64Array.of(1n, BigInt(file.cases)).buffer)),
    extension(20, 1, Buffer.from('UTF-8')),
    ...longValueLabels(labelled.filter(({ width }) => width > 8)),
    integers(999, 0),
  ])
}

const longWidth = ({ short, variable: { content } }: Part) => `${short}=${String(content).padStart(5, '0')}\0\t`

const BIAS = 100

function headerOf({ title, product, created, cases }: SavFile, units: number): Buffer {
  const [, day, month, year = '', time] = created.toUTCString().split(' ')
  return Buffer.concat([
    Buffer.from('$FL2'),
    padded(`@(#) SPSS DATA FILE ${product}`, 60),
    // Layout, units per case, compression by codes, no weight, number of cases.
    integers(2, units, 1, 0, cases),
    doubles(BIAS),
    padded(`${day} ${month} ${year.slice(-2)}${time}`, 17),
    padded(title, 64),
    Buffer.alloc(3),
  ])
}

function variableRecords({ variable, width, short, isFirst }: Part): Buffer[] {
  const { content, label } = variable
  const [format, digits, decimals] = typeof content === 'number' ? (['A', width, 0] as const) : content
  const shown = (FORMATS[format] << 16) | (digits << 8) | decimals
  const text = Buffer.from(isFirst ? shortLabel(label, MAX_LABEL_BYTES) : '')
  const hasLabel = text.length > 0
  const record = Buffer.concat([
    integers(2, width, Number(hasLabel), 0, shown, shown),
    padded(short, 8),
    ...(hasLabel ? [counted(text), Buffer.alloc(-text.length & 3)] : []),
  ])
  const more = Buffer.concat([integers(2, -1, 0, 0, 0, 0), padded('', 8)])
  return [record, ...Array.from({ length: Math.max(0, unitsOf(width) - 1) }, () => more)]
}

function valueLabels({ variable: { values }, width, position }: Part): Buffer {
  const lines = values.map(({ value, label }) => {
    const text = Buffer.from(shortLabel(label, MAX_VALUE_LABEL_BYTES))
    const key = width === 0 ? doubles(Number(value)) : padded(value, 8)
    return Buffer.concat([key, Buffer.of(text.length), text, Buffer.alloc(-(text.length + 1) & 7)])
  })
  return Buffer.concat([integers(3, values.length), ...lines, integers(4, 1, position)])
}

/** The lowest number but that of missing values. */
const LOWEST = Buffer.from('feffffffffffefff', 'hex')

function setLines(sets: readonly SavSet[], firsts: readonly Part[]): string {
  const shorts = new Map(firsts.map(({ short, variable: { name } }) => [name, short]))
  const lines = sets.map(({ name, label, variables }) => {
    const text = shortLabel(label, MAX_LABEL_BYTES)
    return `$${name}=D1 1 ${Buffer.byteLength(text)} ${text} ${variables.map((one) => shorts.get(one)).join(' ')}\n`
  })
  return lines.join('')
}

/** Returns the level of measurement, the width of the column on the screen and its alignment. */
const displayOf = ({ variable: { measure }, width }: Part): number[] => [
  MEASURES[measure],
  width === 0 ? 10 : Math.min(Math.max(width, 8), 32),
  width === 0 ? 1 : 0,
]

function longValueLabels(labelled: readonly Part[]): Buffer[] {
  const all = labelled.flatMap(({ variable: { name, content, values } }) => {
    if (typeof content !== 'number' || content > MAX_LABELLED_BYTES) return []
    const lines = values.flatMap(({ value, label }) => [
      counted(padded(value, content)),
      counted(shortLabel(label, MAX_VALUE_LABEL_BYTES)),
    ])
    return [counted(name), integers(content, values.length), ...lines]
  })
  return all.length > 0 ? [extension(21, 1, Buffer.concat(all))] : []
}

const [END, LITERAL, SPACES, MISSING] = [252, 253, 254, 255]

/**
 * Writes the values of cases, in the order of the variables. Eight codes of one byte precede the bytes of the values
 * that a code cannot express. A block of codes can end in the middle of a case.
 */
export class SavCases {
  #bytes = Buffer.allocUnsafeSlow(64 * 1024)
  #at = 0
  /** Position of the current block of codes, and the number of its codes. */
  #block = 0
  #codes = 8

  /** Writes a number; NaN for a missing value. */
  number(value: number): void {
    this.#reserve(1)
    if (!Number.isFinite(value)) this.#code(MISSING)
    else if (Number.isInteger(value) && value > -BIAS && value < END - BIAS) this.#code(value + BIAS)
    else {
      this.#code(LITERAL)
      this.#at = this.#bytes.writeDoubleLE(value, this.#at)
    }
  }

  /**
   * Writes a text of a variable of a width, in UTF-8. The end of a text of more than {@link MAX_TEXT_BYTES} is replaced
   * by `…`.
   */
  text(bytes: Uint8Array, start: number, end: number, width: number): void {
    const length = end - start
    if (length > MAX_TEXT_BYTES) {
      const shorter = shortened(bytes.subarray(start, end))
      this.text(shorter, 0, shorter.length, width)
      return
    }
    if (length > width) throw new Error(`a text of ${length} bytes does not fit into ${width} bytes`)
    this.#reserve(unitsOf(width) + Math.ceil(width / COUNTED_BYTES))
    if (width <= SEGMENT_BYTES) this.#segment(bytes, start, end, unitsOf(width))
    else {
      for (const [i, segment] of segmentsOf(width).entries()) {
        const from = start + i * SEGMENT_BYTES
        this.#segment(bytes, Math.min(from, end), Math.min(from + SEGMENT_BYTES, end), unitsOf(segment))
      }
    }
  }

  #segment(bytes: Uint8Array, start: number, end: number, units: number): void {
    let from = start
    let unit = 0
    for (; from < end; unit += 1, from += 8) this.#unit(bytes, from, Math.min(from + 8, end))
    for (; unit < units; unit += 1) this.#code(SPACES)
  }

  /** Passes the complete blocks to a function, which must copy them. */
  drain(write: (bytes: Buffer, end: number) => void): void {
    const end = this.#codes === 8 ? this.#at : this.#block
    write(this.#bytes, end)
    this.#bytes.copyWithin(0, end, this.#at)
    this.#at -= end
    this.#block -= end
  }

  /** Ends the last block. */
  end(): void {
    this.#reserve(1)
    this.#code(END)
    while (this.#codes < 8) this.#code(0)
  }

  #unit(text: Uint8Array, from: number, to: number): void {
    let isBlank = true
    for (let i = from; i < to && isBlank; i += 1) isBlank = text[i] === 0x20
    this.#code(isBlank ? SPACES : LITERAL)
    if (isBlank) return
    for (let i = 0; i < 8; i += 1) this.#bytes[this.#at++] = from + i < to ? text[from + i]! : 0x20
  }

  #code(code: number): void {
    if (this.#codes === 8) {
      this.#block = this.#at
      this.#at += 8
      this.#codes = 0
    }
    this.#bytes[this.#block + this.#codes++] = code
  }

  /** Reserves the bytes of units and of the blocks of their codes. */
  #reserve(units: number): void {
    const length = this.#at + 9 * units + 16
    if (length <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(2 * length)
    this.#bytes.copy(larger, 0, 0, this.#at)
    this.#bytes = larger
  }
}

function shortened(text: Uint8Array): Buffer {
  const ellipsis = Buffer.from('…')
  let end = MAX_TEXT_BYTES - ellipsis.length
  // A character is not cut in two.
  while ((text[end]! & 0xc0) === 0x80) end -= 1
  return Buffer.concat([text.subarray(0, end), ellipsis])
}
