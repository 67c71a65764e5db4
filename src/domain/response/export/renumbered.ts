import { codeAt } from '../../structure/choices.ts'
import type { Answer, Field, Questionnaire } from '../../structure/questionnaire.ts'
import { fromStoredValue, isRemoved, positionOf, withoutRemovedChoices } from '../../structure/stored.ts'
import { labelOf } from '../../structure/text.ts'
import type { FieldCells } from './answers.ts'
import { answerCell, type CellFormat } from './cell.ts'
import { choiceText, type ExportColumn, showsRemoved, valueText } from './columns.ts'
import type { ExportOptions } from './options.ts'
import type { Output } from './output.ts'
import { type AnswerScan, FALSE, LIST, NUMBER, TRUE } from './scan.ts'

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
