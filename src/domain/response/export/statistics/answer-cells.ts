import { plainNumber } from '../../../../lib/strings.ts'
import { isAnswer, isList } from '../../../structure/answered.ts'
import { codedChoices } from '../../../structure/choices.ts'
import { withFileAddresses } from '../../../structure/file-answer.ts'
import type { Answer, Field, Question } from '../../../structure/questionnaire.ts'
import { fromStoredValue } from '../../../structure/stored.ts'
import { ABSENT, AnswerScan, CONVERT, FALSE, jsonClasses, LIST, NUMBER, STRING, stringAt, TRUE } from '../cell.ts'
import { isTick, type Variable } from './variables.ts'

/** A value that was prepared once for a file: a code, a tick or a rank. */
export interface PreparedCell {
  readonly bytes: Buffer
  /** NaN if the text is no number. */
  readonly number: number
}

/** Receives the value of each variable of a response, by the index of the variable. */
export interface CellSink {
  missing(index: number): void
  prepared(index: number, cell: PreparedCell): void
  number(index: number, value: number): void
  /** Receives a text in UTF-8. The bytes are valid until the method returns. */
  text(index: number, bytes: Uint8Array, start: number, end: number): void
  /** Receives the answer to a question about a date or time: any text. */
  date(index: number, text: string): void
}

const preparedCell = (text: string): PreparedCell => ({ bytes: Buffer.from(text), number: numberIn(text) })

/** Returns the number that a text contains; NaN for any other text, such as one that was stored before a change of type. */
export const numberIn = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text))

const NO = preparedCell('0')
const YES = preparedCell('1')

/** Choices with smaller stored numbers are found in a table. */
const CACHED_NUMBERS = 256
const MAX_SAFE_DIGITS = 15
const ZERO = 0x30

/** Writes the values of a field. @param asked whether the respondent was asked the question of the field */
type FieldCells = (bytes: Buffer, sink: CellSink, asked: (question: Question) => boolean) => void

/** Reads the answers of a response without parsing most of them, and writes the values of the variables after metadata. */
export class StatisticsCells {
  readonly #scan: AnswerScan
  readonly #fields: readonly FieldCells[]
  /** The slots of the fields of each question with ticks. */
  readonly #slots: ReadonlyMap<Question, readonly number[]>

  /**
   * @param variables all variables; those of a field follow each other
   * @param files the beginning of the address of every file of the survey
   */
  constructor(variables: readonly Variable[], files: string) {
    const byField = Map.groupBy(variables.entries(), ([, { source }]) => ('field' in source ? source.field : undefined))
    byField.delete(undefined)
    const exported = [...byField.keys()].map((field) => field!)
    const ticks = [...new Set(exported.filter(isTick).map(({ question }) => question))]
    const fields = [...new Set([...exported, ...ticks.flatMap((question) => question.fields)])]
    const slots = new Map(fields.map((field, slot) => [field, slot]))
    this.#scan = new AnswerScan(
      fields.map(({ storedKey }) => storedKey),
      // Only an escape must be converted.
      jsonClasses({ separator: ',', stripHtml: false }),
    )
    this.#slots = new Map(ticks.map((question) => [question, question.fields.map((field) => slots.get(field)!)]))
    this.#fields = [...byField].map(([field, ofField]) => this.#cellsOf(field!, slots.get(field!)!, ofField, files))
  }

  /** @param at the position of the object with the answers */
  write(bytes: Buffer, at: number, sink: CellSink, asked: (question: Question) => boolean): void {
    this.#scan.read(bytes, at)
    for (const cells of this.#fields) cells(bytes, sink, asked)
  }

  /** Reports whether a question with ticks has an answer. */
  isAnswered(question: Question, bytes: Buffer): boolean {
    return this.#slots.get(question)!.some((slot) => this.#isAnswer(slot, bytes))
  }

  #isAnswer(slot: number, bytes: Buffer): boolean {
    const { kind, start, end, flags } = this.#scan
    const [from, to] = [start[slot]!, end[slot]!]
    if (kind[slot] === STRING) return isAnswer(stringAt(bytes, from, to, flags[slot]!))
    // An empty list has two bytes.
    return kind[slot] === LIST ? to - from > 2 : kind[slot] !== ABSENT
  }

  #cellsOf(field: Field, slot: number, variables: readonly [number, Variable][], files: string): FieldCells {
    const [index, { type, source }] = variables[0]!
    if ('field' in source && source.choice) return this.#choiceCells(field, slot, variables)
    if (isTick(field) && !field.part) return this.#tickCell(field, slot, index)
    const addressOf = (key: string) => `${files}${key}/`
    if (field.type === 'file') return this.#textCell(field, slot, index, (text) => withFileAddresses(text, addressOf))
    if (field.type === 'datetime') return this.#dateCell(field, slot, index)
    if (field.choices.length > 0) return this.#choiceCell(field, slot, index)
    const text = this.#textCell(field, slot, index)
    if (type !== 'number') return text
    return (bytes, sink, asked) => {
      const { kind, start, end } = this.#scan
      if (kind[slot] === NUMBER) sink.number(index, numberAt(bytes, start[slot]!, end[slot]!))
      else text(bytes, sink, asked)
    }
  }

  /** Writes one variable per choice: a tick, or a rank counted from 1. */
  #choiceCells(field: Field, slot: number, variables: readonly [number, Variable][]): FieldCells {
    const { renumbered, type, question } = field
    const isRanking = type === 'ranking'
    const indices = variables.map(([index]) => index)
    /** The positions of the choices among the variables, by their stored numbers. */
    const positions = new Map(
      variables.map(([, { source }], position) => {
        const { uid, index } = ('choice' in source && source.choice) || { uid: -1, index: -1 }
        return [renumbered ? uid : index, position]
      }),
    )
    const ranks = new Int32Array(variables.length)
    const select = (number: number, rank: number) => {
      const position = positions.get(number)
      if (position !== undefined && ranks[position] === 0) ranks[position] = rank
    }
    return (bytes, sink, asked) => {
      const { kind, start, end } = this.#scan
      const [from, to] = [start[slot]!, end[slot]!]
      ranks.fill(0)
      // An answer is a number if it was stored when the question accepted only one choice.
      if (kind[slot] === NUMBER) select(numberAt(bytes, from, to), 1)
      else if (kind[slot] === LIST) readList(bytes, from, to, select)
      const isBlank = isRanking || (ranks.every((rank) => rank === 0) && !asked(question))
      for (let i = 0; i < indices.length; i += 1) {
        const rank = ranks[i]!
        if (rank > 0 && isRanking) sink.number(indices[i]!, rank)
        else if (rank > 0) sink.prepared(indices[i]!, YES)
        else if (isBlank) sink.missing(indices[i]!)
        else sink.prepared(indices[i]!, NO)
      }
    }
  }

  #tickCell({ question }: Field, slot: number, index: number): FieldCells {
    return (_, sink, asked) => {
      if (this.#scan.kind[slot] === TRUE) sink.prepared(index, YES)
      else if (asked(question)) sink.prepared(index, NO)
      else sink.missing(index)
    }
  }

  /** Writes the code of the only choice of an answer. */
  #choiceCell(field: Field, slot: number, index: number): FieldCells {
    const codes = new Map(codedChoices(field).map((choice) => [choice.index, preparedCell(choice.code)]))
    /** Finds a choice by its stored number, or by true and false. */
    const find = (stored: number | boolean): PreparedCell | undefined => {
      const answer = fromStoredValue(field, stored)
      return codes.get(typeof answer === 'boolean' ? (answer ? 0 : 1) : (answer as number))
    }
    const [yes, no] = [find(true), find(false)]
    const first = Array.from({ length: CACHED_NUMBERS }, (_, number) => find(number))
    const text = this.#textCell(field, slot, index)
    return (bytes, sink, asked) => {
      const { kind, start, end } = this.#scan
      if (kind[slot] !== NUMBER && kind[slot] !== TRUE && kind[slot] !== FALSE) return text(bytes, sink, asked)
      const number = kind[slot] === NUMBER ? numberAt(bytes, start[slot]!, end[slot]!) : Number.NaN
      const cell =
        kind[slot] === TRUE ? yes : kind[slot] === FALSE ? no : number in first ? first[number] : find(number)
      if (cell) sink.prepared(index, cell)
      else sink.missing(index)
    }
  }

  #dateCell(field: Field, slot: number, index: number): FieldCells {
    const format = field.question.format ?? 'datetime'
    return (bytes, sink) => {
      const answer = this.#answer(field, slot, bytes)
      if (answer === undefined) sink.missing(index)
      else sink.date(index, timeOf(textOf(answer), format))
    }
  }

  /** Writes an answer as a text, as it was stored if it has no escapes. */
  #textCell(field: Field, slot: number, index: number, convert?: (text: string) => string): FieldCells {
    return (bytes, sink) => {
      const { kind, start, end, flags } = this.#scan
      if (kind[slot] === ABSENT) sink.missing(index)
      else if (kind[slot] === STRING && flags[slot]! < CONVERT && !convert)
        sink.text(index, bytes, start[slot]!, end[slot]!)
      else {
        const text = textOf(this.#answer(field, slot, bytes)!)
        const cell = Buffer.from(convert ? convert(text) : text)
        sink.text(index, cell, 0, cell.length)
      }
    }
  }

  /** Parses an answer. */
  #answer(field: Field, slot: number, bytes: Buffer): Answer | undefined {
    const { kind, start, end, flags } = this.#scan
    const [from, to] = [start[slot]!, end[slot]!]
    if (kind[slot] === ABSENT) return undefined
    if (kind[slot] === STRING) return stringAt(bytes, from, to, flags[slot]!)
    return fromStoredValue(field, JSON.parse(bytes.toString('utf8', from, to)) as Answer)
  }
}

/** Reads the numbers of a list such as `[3, 1]`. @param onNumber receives each number and its position from 1 */
function readList(bytes: Buffer, start: number, end: number, onNumber: (number: number, rank: number) => void): void {
  let [rank, number] = [0, -1]
  for (let p = start; p < end; p += 1) {
    const digit = bytes[p]! - ZERO
    if (digit >= 0 && digit <= 9) number = (number === -1 ? 0 : number * 10) + digit
    else if (number !== -1) {
      rank += 1
      onNumber(number, rank)
      number = -1
    }
  }
}

/** Returns the number whose text is between two positions. */
export function numberAt(bytes: Buffer, start: number, end: number): number {
  let value = 0
  for (let p = start; p < end; p += 1) {
    const digit = bytes[p]! - ZERO
    if (digit < 0 || digit > 9 || end - start > MAX_SAFE_DIGITS) return Number(bytes.toString('latin1', start, end))
    value = value * 10 + digit
  }
  return value
}

/** Without a format, a question accepts a date without a time, which no program reads as a time. */
const timeOf = (text: string, format: string): string =>
  format === 'datetime' && /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text} 00:00:00` : text.replace('T', ' ')

/** A list was stored when the question had another type. It is written as it was stored. */
const textOf = (answer: Answer): string =>
  typeof answer === 'number' ? plainNumber(answer) : isList(answer) ? JSON.stringify(answer) : String(answer)
