import { codeAt } from '../../structure/choices.ts'
import { FILE_LIMITS, withFileAddresses } from '../../structure/file-answer.ts'
import type { Answer, Field, Questionnaire } from '../../structure/questionnaire.ts'
import { fromStoredValue, isRemoved, positionOf, withoutRemovedChoices } from '../../structure/stored.ts'
import { labelOf } from '../../structure/text.ts'
import {
  ABSENT,
  AnswerScan,
  answerCell,
  type CellFormat,
  CONVERT,
  FALSE,
  guardClasses,
  jsonClasses,
  LIST,
  NUMBER,
  QUOTE,
  STRING,
  stringAt,
  TRUE,
} from './cell.ts'
import type { ExportOptions } from './columns.ts'
import { choiceText, type ExportColumn, showsRemoved, valueText } from './columns.ts'
import type { Output } from './output.ts'

/** Reads the answer in one field (response key) of each response and writes the columns of the field. */
export interface FieldCells {
  readonly columns: readonly ExportColumn[]
  /** Maximum number of bytes per line that come from prepared texts, such as the labels of choices. */
  readonly maxBytes: number
  /** Reads the answer of a response. Call it once per response, before the other methods. */
  read(bytes: Buffer): void
  isAnswered(column: number): boolean
  /** Writes the cell of an answered column. */
  write(column: number, bytes: Buffer, out: Output): void
}

/** The readers and writers of all question columns. */
export interface AnswerCells {
  scan: AnswerScan
  fields: readonly FieldCells[]
}

/**
 * Prepares the cells of all question columns. Choices are encoded once per export.
 * @param files the beginning of the address of every file of the survey; the key of the file is appended to it
 */
export function answerCells(
  columns: readonly ExportColumn[],
  options: ExportOptions,
  format: CellFormat,
  q: Questionnaire,
  files: string,
): AnswerCells {
  const byField = Map.groupBy(columns, ({ field }) => field)
  const scan = new AnswerScan(
    [...byField.keys()].map(({ storedKey }) => storedKey),
    jsonClasses(format),
  )
  const prepare = (text: string) => Buffer.from(answerCell(text, format))
  const fields = [...byField].flatMap(([field, fieldColumns], slot): FieldCells[] => {
    const choices = field.choices.map((choice) => prepare(choiceText(field, choice, options, q)))
    if (field.type === 'file') return [new FileCell(fieldColumns, scan, slot, format, files)]
    if (!fieldColumns[0]!.choice) {
      const whole = new WholeCell(fieldColumns, scan, slot, { field, choices, options, format, q, prepare })
      return [field.renumbered ? new RenumberedCell(whole, scan, slot, { field, options, format, q }) : whole]
    }
    const removed = fieldColumns.filter((column) => column.removed)
    const present = fieldColumns.filter((column) => !column.removed)
    return [
      new ChoiceCells(present, scan, slot, choices, field),
      ...(removed.length > 0 ? [new RemovedChoicesCell(removed, scan, slot, { field, options, format, q })] : []),
    ]
  })
  return { scan, fields }
}

const sizeOf = (cells: readonly Buffer[]): number => cells.reduce((sum, { length }) => sum + length, 0)

interface WholeCellContext {
  field: Field
  choices: readonly Buffer[]
  options: ExportOptions
  format: CellFormat
  q: Questionnaire
  prepare(text: string): Buffer
}

/** Writes the whole answer into one column: a text, a number, a boolean or a choice. */
class WholeCell implements FieldCells {
  readonly columns: readonly ExportColumn[]
  readonly maxBytes: number
  readonly #scan: AnswerScan
  readonly #slot: number
  readonly #context: WholeCellContext
  readonly #guard: Uint8Array
  readonly #choices: readonly Buffer[]
  /** Index of the first choice. */
  readonly #first: number
  readonly #yes: Buffer
  readonly #no: Buffer

  constructor(columns: readonly ExportColumn[], scan: AnswerScan, slot: number, context: WholeCellContext) {
    const { field, options, q } = context
    this.columns = columns
    this.#scan = scan
    this.#slot = slot
    this.#context = context
    this.#guard = guardClasses(context.format)
    this.#choices = context.choices
    this.#first = field.choices[0]?.index ?? 0
    this.#yes = context.prepare(valueText(field, true, options, q))
    this.#no = context.prepare(valueText(field, false, options, q))
    this.maxBytes = Math.max(this.#yes.length, this.#no.length, ...context.choices.map(({ length }) => length))
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
        const neededClasses = to > from ? flags[slot]! | this.#guard[bytes[from]!]! : 0
        if (neededClasses >= CONVERT)
          out.cell(answerCell(stringAt(bytes, from, to, flags[slot]!), this.#context.format))
        else out.plain(bytes, from, to, neededClasses === QUOTE)
        return
      }
      case NUMBER: {
        const index = to - from < 4 ? smallInteger(bytes, from, to) : -1
        const choice = index === -1 ? undefined : this.#choices[index - this.#first]
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
        // The list was stored when the question had another type. It is written as it was stored.
        out.cell(answerCell(bytes.toString('utf8', from, to), this.#context.format))
    }
  }

  /** Writes a number that does not identify any choice. */
  #unknown(value: number, out: Output): void {
    const { field, options, q, format } = this.#context
    out.cell(answerCell(valueText(field, value, options, q), format))
  }
}

/**
 * Writes one column per choice. The cell of a selected choice contains its text or, in a ranking, its rank, counted
 * from 1.
 */
class ChoiceCells implements FieldCells {
  readonly columns: readonly ExportColumn[]
  readonly maxBytes: number
  readonly #scan: AnswerScan
  readonly #slot: number
  readonly #choices: readonly Buffer[]
  readonly #ranking: boolean
  /** Positions of choices by stable number; undefined if every position equals its stable number. */
  readonly #positions: ReadonlyMap<number, number> | undefined
  /** The rank of each choice in the answer, from 1. 0 means that the choice is not selected. */
  readonly #ranks: Int32Array

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
    this.#positions = field.renumbered ? new Map(field.choices.map(({ uid, index }) => [uid, index])) : undefined
    this.#ranks = new Int32Array(choices.length)
    this.maxBytes = sizeOf(choices)
  }

  read(bytes: Buffer): void {
    const ranks = this.#ranks
    const { kind, start, end } = this.#scan
    const slot = this.#slot
    ranks.fill(0)
    // An answer is a number if it was stored when the question accepted only one choice.
    if (kind[slot] !== LIST && kind[slot] !== NUMBER) return
    let rank = 0
    let index = -1
    for (let p = start[slot]!, last = end[slot]!; p <= last; p += 1) {
      const digit = p < last ? bytes[p]! - 0x30 : -1
      if (digit >= 0 && digit <= 9) index = (index === -1 ? 0 : index * 10) + digit
      else if (index !== -1) {
        rank += 1
        const position = this.#positions ? (this.#positions.get(index) ?? ranks.length) : index
        if (position < ranks.length && ranks[position] === 0) ranks[position] = rank
        index = -1
      }
    }
  }

  isAnswered(column: number): boolean {
    return this.#ranks[column]! > 0
  }

  write(column: number, _: Buffer, out: Output): void {
    if (this.#ranking) out.integer(this.#ranks[column]!)
    else out.prepared(this.#choices[column]!)
  }
}

/**
 * Parses a text of digits. The caller ensures that the text is short enough for a small integer.
 * @returns -1 for other texts
 */
function smallInteger(bytes: Buffer, start: number, end: number): number {
  let value = 0
  for (let p = start; p < end; p += 1) {
    const digit = bytes[p]! - 0x30
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return value
}

/** Length of a file key in a list of addresses, with the slash and the space that follow the key. */
const KEY_BYTES = 34

/**
 * Writes the answer to a file question: the addresses of its files. An answer that is not a list of file keys is
 * written unchanged.
 */
class FileCell implements FieldCells {
  readonly columns: readonly ExportColumn[]
  readonly maxBytes: number
  readonly #scan: AnswerScan
  readonly #slot: number
  readonly #format: CellFormat
  readonly #files: string

  constructor(columns: readonly ExportColumn[], scan: AnswerScan, slot: number, format: CellFormat, files: string) {
    this.columns = columns
    this.#scan = scan
    this.#slot = slot
    this.#format = format
    this.#files = files
    this.maxBytes = FILE_LIMITS.maxFiles * (files.length + KEY_BYTES)
  }

  read(): void {}

  isAnswered(): boolean {
    return this.#scan.kind[this.#slot] !== ABSENT
  }

  write(_: number, bytes: Buffer, out: Output): void {
    const slot = this.#slot
    const { kind, start, end, flags } = this.#scan
    const [from, to] = [start[slot]!, end[slot]!]
    const text = kind[slot] === STRING ? stringAt(bytes, from, to, flags[slot]!) : bytes.toString('utf8', from, to)
    out.cell(
      answerCell(
        withFileAddresses(text, (key) => `${this.#files}${key}/`),
        this.#format,
      ),
    )
  }
}

/** The inputs other than the answers from which the cells of a field are generated. */
export interface CellContext {
  field: Field
  options: ExportOptions
  format: CellFormat
  q: Questionnaire
}

/** Returns the label or code of a removed choice. */
function removedText(uid: number, { field, options, q }: CellContext): string {
  const index = positionOf(field, uid)
  return options.codes ? codeAt(field, index) : labelOf(field, index, options.language ?? q.defaultLanguage, q)
}

/** Writes the answer to a question with moved or removed choices into one column. */
export class RenumberedCell implements FieldCells {
  readonly columns: readonly ExportColumn[]
  readonly maxBytes: number
  readonly #inner: FieldCells
  readonly #scan: AnswerScan
  readonly #slot: number
  readonly #context: CellContext
  /** Formatted choices by stable number. */
  readonly #cells: ReadonlyMap<number, Buffer>
  /** The formatted cells for yes and no. */
  readonly #booleans: readonly [Buffer, Buffer]
  #cell: Buffer | undefined

  /** @param inner writes answers that are not choices */
  constructor(inner: FieldCells, scan: AnswerScan, slot: number, context: CellContext) {
    const { field, options, format, q } = context
    const removed = showsRemoved(options) ? field.removed : []
    const texts = [
      ...removed.map(({ uid }) => [uid, removedText(uid, context)] as const),
      ...field.choices.map((choice) => [choice.uid, choiceText(field, choice, options, q)] as const),
    ]
    this.#cells = new Map(texts.map(([uid, text]) => [uid, Buffer.from(answerCell(text, format))]))
    const booleanCell = (value: boolean) => Buffer.from(answerCell(valueText(field, value, options, q), format))
    this.#booleans = [booleanCell(true), booleanCell(false)]
    this.columns = inner.columns
    this.maxBytes = Math.max(inner.maxBytes, ...[...this.#cells.values()].map(({ length }) => length))
    this.#inner = inner
    this.#scan = scan
    this.#slot = slot
    this.#context = context
  }

  read(bytes: Buffer): void {
    const { kind, start, end } = this.#scan
    const slot = this.#slot
    this.#cell = undefined
    const answerKind = kind[slot]
    if (answerKind !== NUMBER && answerKind !== LIST && answerKind !== TRUE && answerKind !== FALSE) return
    const stored = JSON.parse(bytes.toString('latin1', start[slot]!, end[slot]!)) as Answer
    if (typeof stored === 'number') this.#cell = this.#cells.get(stored)
    else if (typeof stored === 'boolean')
      this.#cell = this.#booleans[fromStoredValue(this.#context.field, stored) ? 0 : 1]
    else {
      // The list was stored when the question had another type.
      const remaining = withoutRemovedChoices(fromStoredValue(this.#context.field, stored))
      if (remaining !== undefined) this.#cell = Buffer.from(answerCell(JSON.stringify(remaining), this.#context.format))
    }
  }

  isAnswered(column: number): boolean {
    const answerKind = this.#scan.kind[this.#slot]
    return answerKind === NUMBER || answerKind === LIST ? this.#cell !== undefined : this.#inner.isAnswered(column)
  }

  write(column: number, bytes: Buffer, out: Output): void {
    if (this.#cell) out.prepared(this.#cell)
    else this.#inner.write(column, bytes, out)
  }
}

/** Writes the labels or codes of the removed choices in an answer to a multiple-choice or ranking question into one column. */
export class RemovedChoicesCell implements FieldCells {
  readonly columns: readonly ExportColumn[]
  readonly maxBytes: number
  readonly #scan: AnswerScan
  readonly #slot: number
  readonly #context: CellContext
  #text = ''

  constructor(columns: readonly ExportColumn[], scan: AnswerScan, slot: number, context: CellContext) {
    this.columns = columns
    this.#scan = scan
    this.#slot = slot
    this.#context = context
    const labels = context.field.removed.map(({ uid }) => removedText(uid, context)).join(', ')
    // Quoting can double every character.
    this.maxBytes = 2 * Buffer.byteLength(labels)
  }

  read(bytes: Buffer): void {
    const { kind, start, end } = this.#scan
    const slot = this.#slot
    this.#text = ''
    if (kind[slot] !== LIST && kind[slot] !== NUMBER) return
    const { field } = this.#context
    const stored = [JSON.parse(bytes.toString('latin1', start[slot]!, end[slot]!)) as Answer].flat() as number[]
    const removed = stored.filter((uid) => isRemoved(positionOf(field, uid)))
    this.#text = removed
      .map((uid) => removedText(uid, this.#context))
      .filter(Boolean)
      .join(', ')
  }

  isAnswered(): boolean {
    return this.#text !== ''
  }

  write(_: number, __: Buffer, out: Output): void {
    out.cell(answerCell(this.#text, this.#context.format))
  }
}
