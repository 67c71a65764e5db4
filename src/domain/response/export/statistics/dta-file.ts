import {
  type DtaFile as DtaContent,
  DtaObservation,
  type DtaSections,
  type DtaStorage,
  type DtaVariable,
  dtaSections,
  longTextBytes,
  longTextHeader,
  MAX_LABEL_CHARACTERS,
  MAX_SHORT_TEXT_BYTES,
  MAX_VARIABLES,
  observationBytes,
} from '../../../../lib/dta/write-dta.ts'
import { detail } from '../../../error-details.ts'
import { problems } from '../../../problem.ts'
import type { Output } from '../output.ts'
import type { DataFile, DataFilePlan } from './data-lines.ts'
import { isBinary, type Variable, type VariableType } from './variables.ts'

const DAY_MILLISECONDS = 86_400_000
/** Stata counts from 1960. */
const MILLISECONDS_TO_1970 = -Date.UTC(1960, 0)
/**
 * The lengths to which texts are stored in their observations: the largest with which an observation has at most this
 * many bytes. Longer texts are long texts.
 */
const SHORT_LENGTHS = [MAX_SHORT_TEXT_BYTES, 512, 128, 32]
const MAX_OBSERVATION_BYTES = 64 * 1024

/**
 * Creates a data file of Stata. If texts are long, reads the responses once more to measure them, because the header
 * contains the position of what follows them.
 * @throws {Problem} `invalid_request` for more variables than a file can have
 */
export async function createDtaFile(
  { variables, widths, ...plan }: DataFilePlan,
  readCases: (file: DataFile) => Promise<void>,
): Promise<DataFile> {
  if (variables.length > MAX_VARIABLES) {
    const limit = { max: MAX_VARIABLES }
    throw problems.invalidField('include', 'too_many', limit, detail('too_many_columns', limit))
  }
  const storages = storagesOf(variables, widths)
  const described = variables.map((variable, i) => dtaVariable(variable, storages[i]!))
  const meter = new LongTextMeter(storages)
  if (storages.includes('strL')) await readCases(meter)
  return new DtaFile({ ...plan, created: plan.changed, variables: described, longTexts: meter.bytes }, variables)
}

function storagesOf(variables: readonly Variable[], widths: readonly number[]): DtaStorage[] {
  const limited = (limit: number) =>
    variables.map((variable, i): DtaStorage => {
      const { type, values, source } = variable
      if (type === 'text') return widths[i]! > limit ? 'strL' : widths[i]!
      const isState = 'meta' in source && source.meta.type === 'state'
      if (type === 'number') return isState || (isBinary(variable) && values.length > 0) ? 'byte' : 'double'
      return type === 'date' ? 'long' : 'double'
    })
  const all = SHORT_LENGTHS.map(limited)
  return all.find((storages) => observationBytes(storages) <= MAX_OBSERVATION_BYTES) ?? all.at(-1)!
}

const FORMATS: Readonly<Record<Exclude<VariableType, 'text'>, string>> = {
  number: '%12.0g',
  date: '%td',
  time: '%tcHH:MM:SS',
  datetime: '%tc',
}
/** The maximum width in which Stata shows a text. */
const MAX_SHOWN_WIDTH = 2_045

function dtaVariable({ name, label, type, values, missing }: Variable, storage: DtaStorage): DtaVariable {
  // Only integers can have labels.
  const canLabel = type === 'number' && values.every(({ value }) => /^-?\d{1,9}$/.test(value))
  const isLong = [...label].length > MAX_LABEL_CHARACTERS
  return {
    name,
    label,
    storage,
    format:
      type !== 'text'
        ? FORMATS[type]
        : storage === 'strL'
          ? '%9s'
          : `%${Math.min(storage as number, MAX_SHOWN_WIDTH)}s`,
    values: canLabel ? values.map((one) => ({ value: Number(one.value), label: one.label })) : [],
    missing: type === 'number' && missing === 'not asked' ? missing : undefined,
    notes: [...(isLong ? [label] : []), ...(canLabel ? [] : values.map((one) => `${one.value} = ${one.label}`))],
  }
}

/** Counts the bytes of long texts. */
class LongTextMeter implements DataFile {
  readonly header = Buffer.alloc(0)
  readonly caseBytes = 1
  bytes = 0
  readonly #storages: readonly DtaStorage[]

  constructor(storages: readonly DtaStorage[]) {
    this.#storages = storages
  }

  text(index: number, _: Uint8Array, start: number, end: number): void {
    if (this.#storages[index] === 'strL') this.bytes += longTextBytes(end - start)
  }

  missing(): void {}
  number(): void {}
  instant(): void {}
  endCase(): void {}
  end(): void {}
}

/** A data file of Stata. A second pass over the responses writes the long texts. */
class DtaFile implements DataFile {
  readonly header: Buffer
  readonly caseBytes: number
  readonly passes: number
  readonly #variables: readonly DtaVariable[]
  readonly #sections: DtaSections
  readonly #types: readonly VariableType[]
  readonly #observation: DtaObservation
  #pass = 1
  #number = 1
  /** The long texts of the current response. */
  #longTexts: Buffer[] = []

  constructor(content: DtaContent, variables: readonly Variable[]) {
    this.#variables = content.variables
    this.#types = variables.map(({ type }) => type)
    this.#sections = dtaSections(content)
    this.#observation = new DtaObservation(content.variables)
    this.header = this.#sections.beforeData
    this.caseBytes = this.#observation.bytes.length
    this.passes = content.longTexts > 0 ? 2 : 1
  }

  nextPass(): void {
    this.#pass += 1
    this.#number = 1
    this.#longTexts = [this.#sections.afterData]
  }

  missing(index: number): void {
    if (this.#types[index] === 'text') this.text(index, EMPTY, 0, 0)
    else this.number(index, Number.NaN)
  }

  number(index: number, value: number): void {
    if (this.#pass === 1) this.#observation.number(index, value)
  }

  text(index: number, bytes: Uint8Array, start: number, end: number): void {
    if (this.#pass === 1) this.#observation.text(index, bytes, start, end, this.#number)
    else if (this.#variables[index]!.storage === 'strL' && end > start) {
      const text = Buffer.from(bytes.subarray(start, end))
      this.#longTexts.push(longTextHeader(index + 1, this.#number, text.length), text, ZERO)
    }
  }

  instant(index: number, milliseconds: number): void {
    const type = this.#types[index]
    if (type === 'time') this.number(index, milliseconds)
    else if (type === 'date') this.number(index, Math.floor((milliseconds + MILLISECONDS_TO_1970) / DAY_MILLISECONDS))
    else this.number(index, milliseconds + MILLISECONDS_TO_1970)
  }

  endCase(out: Output): void {
    this.#number += 1
    if (this.#pass === 1) write(this.#observation.bytes, out)
    else for (const bytes of this.#longTexts.splice(0)) write(bytes, out)
  }

  end(out: Output): void {
    if (this.passes === 1) write(this.#sections.afterData, out)
    write(this.#sections.afterLongTexts, out)
  }
}

const EMPTY = Buffer.alloc(0)
const ZERO = Buffer.alloc(1)

function write(bytes: Buffer, out: Output): void {
  out.reserve(bytes.length)
  out.raw(bytes, 0, bytes.length)
}
