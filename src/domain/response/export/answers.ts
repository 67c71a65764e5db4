import type { Field, Questionnaire } from '../../structure/questionnaire.ts'
import { answerCell, type CellFormat, guardClasses, jsonClasses, LOOK, QUOTE } from './cell.ts'
import { choiceText, type ExportColumn, valueText } from './columns.ts'
import { MovedCell, RemovedCell } from './moved.ts'
import type { ExportOptions } from './options.ts'
import type { Output } from './output.ts'
import { ABSENT, AnswerScan, FALSE, LIST, NUMBER, STRING, stringAt, TRUE } from './scan.ts'

/** The columns of one response key, for the response that was read last. */
export interface FieldCells {
  readonly columns: readonly ExportColumn[]
  /** Most bytes of prepared text its cells of one line have. */
  readonly longest: number
  /** Call once a response, before the others. */
  read(bytes: Buffer): void
  isAnswered(column: number): boolean
  /** Writes the cell of an answered column. */
  write(column: number, bytes: Buffer, out: Output): void
}

/** Everything the question columns need: `scan` reads a response, `fields` write it. */
export interface AnswerCells {
  scan: AnswerScan
  fields: readonly FieldCells[]
}

/** Prepares the cells of all question columns; choices become bytes here, once. */
export function answerCells(
  columns: readonly ExportColumn[],
  options: ExportOptions,
  format: CellFormat,
  q: Questionnaire,
): AnswerCells {
  const byField = Map.groupBy(columns, ({ field }) => field)
  const scan = new AnswerScan(
    [...byField.keys()].map(({ storedKey }) => storedKey),
    jsonClasses(format),
  )
  const prepare = (text: string) => Buffer.from(answerCell(text, format))
  const fields = [...byField].flatMap(([field, own], slot): FieldCells[] => {
    const choices = field.choices.map((choice) => prepare(choiceText(field, choice, options, q)))
    if (!own[0]!.choice) {
      const whole = new WholeCell(own, scan, slot, { field, choices, options, format, q, prepare })
      return [field.moved ? new MovedCell(whole, scan, slot, { field, options, format, q }) : whole]
    }
    const removed = own.filter((column) => column.removed)
    const chosen = own.filter((column) => !column.removed)
    return [
      new ChosenCells(chosen, scan, slot, choices, field),
      ...(removed.length > 0 ? [new RemovedCell(removed, scan, slot, { field, options, format, q })] : []),
    ]
  })
  return { scan, fields }
}

const sizeOf = (cells: readonly Buffer[]): number => cells.reduce((sum, { length }) => sum + length, 0)

interface Whole {
  field: Field
  choices: readonly Buffer[]
  options: ExportOptions
  format: CellFormat
  q: Questionnaire
  prepare(text: string): Buffer
}

/** One column with the whole answer: a text, a number, yes or no, or one choice of several. */
class WholeCell implements FieldCells {
  readonly columns: readonly ExportColumn[]
  readonly longest: number
  readonly #scan: AnswerScan
  readonly #slot: number
  readonly #whole: Whole
  readonly #guard: Uint8Array
  readonly #choices: readonly Buffer[]
  readonly #yes: Buffer
  readonly #no: Buffer

  constructor(columns: readonly ExportColumn[], scan: AnswerScan, slot: number, whole: Whole) {
    const { field, options, q } = whole
    this.columns = columns
    this.#scan = scan
    this.#slot = slot
    this.#whole = whole
    this.#guard = guardClasses(whole.format)
    this.#choices = whole.choices
    this.#yes = whole.prepare(valueText(field, true, options, q))
    this.#no = whole.prepare(valueText(field, false, options, q))
    this.longest = Math.max(this.#yes.length, this.#no.length, ...whole.choices.map(({ length }) => length))
  }

  read(): void {}

  isAnswered(): boolean {
    return this.#scan.kind[this.#slot] !== ABSENT
  }

  write(_: number, bytes: Buffer, out: Output): void {
    const slot = this.#slot
    const { kind, start, end, flags } = this.#scan
    const from = start[slot]!
    const to = end[slot]!
    switch (kind[slot]) {
      case STRING: {
        const asks = to > from ? flags[slot]! | this.#guard[bytes[from]!]! : 0
        if (asks >= LOOK) out.cell(answerCell(stringAt(bytes, from, to, flags[slot]!), this.#whole.format))
        else out.plain(bytes, from, to, asks === QUOTE)
        return
      }
      case NUMBER: {
        const index = to - from < 4 ? smallInteger(bytes, from, to) : -1
        const choice = index === -1 ? undefined : this.#choices[index]
        if (choice) out.prepared(choice)
        else if (this.#choices.length === 0) out.plain(bytes, from, to, false)
        else this.#unknown(Number(bytes.toString('latin1', from, to)), out)
        return
      }
      case TRUE:
        out.prepared(this.#yes)
        return
      case FALSE:
        out.prepared(this.#no)
        return
      default:
        // A list where one answer is expected was stored when the question was another: as it is.
        out.cell(answerCell(bytes.toString('utf8', from, to), this.#whole.format))
    }
  }

  /** A number that is none of the choices. */
  #unknown(value: number, out: Output): void {
    const { field, options, q, format } = this.#whole
    out.cell(answerCell(valueText(field, value, options, q), format))
  }
}

/** A column for each choice: what it shows when it was chosen, or its rank from 1. */
class ChosenCells implements FieldCells {
  readonly columns: readonly ExportColumn[]
  readonly longest: number
  readonly #scan: AnswerScan
  readonly #slot: number
  readonly #choices: readonly Buffer[]
  readonly #ranking: boolean
  /** By stable number; undefined where they are the same. */
  readonly #positions: ReadonlyMap<number, number> | undefined
  /** By choice, its place in the answer from 1; 0: not chosen. */
  readonly #places: Int32Array

  constructor(
    columns: readonly ExportColumn[],
    scan: AnswerScan,
    slot: number,
    choices: readonly Buffer[],
    field: Field,
  ) {
    this.columns = columns
    this.#scan = scan
    this.#slot = slot
    this.#choices = choices
    this.#ranking = field.type === 'ranking'
    this.#positions = field.moved ? new Map(field.choices.map(({ uid, index }) => [uid, index])) : undefined
    this.#places = new Int32Array(choices.length)
    this.longest = sizeOf(choices)
  }

  read(bytes: Buffer): void {
    const places = this.#places
    const { kind, start, end } = this.#scan
    const slot = this.#slot
    places.fill(0)
    // One number alone was stored when the question allowed one choice only.
    if (kind[slot] !== LIST && kind[slot] !== NUMBER) return
    let place = 0
    let index = -1
    for (let p = start[slot]!, last = end[slot]!; p <= last; p += 1) {
      const digit = p < last ? bytes[p]! - 0x30 : -1
      if (digit >= 0 && digit <= 9) index = (index === -1 ? 0 : index * 10) + digit
      else if (index !== -1) {
        place += 1
        const position = this.#positions ? (this.#positions.get(index) ?? places.length) : index
        if (position < places.length && places[position] === 0) places[position] = place
        index = -1
      }
    }
  }

  isAnswered(column: number): boolean {
    return this.#places[column]! > 0
  }

  write(column: number, _: Buffer, out: Output): void {
    if (this.#ranking) out.integer(this.#places[column]!)
    else out.prepared(this.#choices[column]!)
  }
}

/** The number that at most three digits write; -1 for anything else. */
function smallInteger(bytes: Buffer, start: number, end: number): number {
  let value = 0
  for (let p = start; p < end; p += 1) {
    const digit = bytes[p]! - 0x30
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return value
}
