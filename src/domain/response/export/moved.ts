import type { Answer, Field, Questionnaire } from '../../structure/questionnaire.ts'
import { fromStoredValue, isRemoved, offered, positionOf } from '../../structure/stored.ts'
import { labelOf } from '../../structure/text.ts'
import type { FieldCells } from './answers.ts'
import { answerCell, type CellFormat } from './cell.ts'
import { choiceText, type ExportColumn, valueText } from './columns.ts'
import type { ExportOptions } from './options.ts'
import type { Output } from './output.ts'
import { type AnswerScan, FALSE, LIST, NUMBER, TRUE } from './scan.ts'

/** What the cells of a field are written with. */
export interface Writing {
  field: Field
  options: ExportOptions
  format: CellFormat
  q: Questionnaire
}

/** Whether a choice that is no longer offered is shown: it has a label, and neither a position nor a score. */
export const showsRemoved = ({ labels, scores }: ExportOptions): boolean => labels && !scores

const removedLabel = (uid: number, { field, options, q }: Writing): string =>
  labelOf(field, positionOf(field, uid), options.language ?? q.defaultLanguage, q)

/** One column with the whole answer to a question whose choices were moved or removed. */
export class MovedCell implements FieldCells {
  readonly columns: readonly ExportColumn[]
  readonly longest: number
  readonly #inner: FieldCells
  readonly #scan: AnswerScan
  readonly #slot: number
  readonly #writing: Writing
  /** By stable number, what is shown. */
  readonly #cells: ReadonlyMap<number, Buffer>
  /** What yes and no show. */
  readonly #truths: readonly [Buffer, Buffer]
  #cell: Buffer | undefined

  /** @param inner writes everything that is no choice */
  constructor(inner: FieldCells, scan: AnswerScan, slot: number, writing: Writing) {
    const { field, options, format, q } = writing
    const removed = showsRemoved(options) ? field.removed : []
    const texts = [
      ...removed.map(({ uid }) => [uid, removedLabel(uid, writing)] as const),
      ...field.choices.map((choice) => [choice.uid, choiceText(field, choice, options, q)] as const),
    ]
    this.#cells = new Map(texts.map(([uid, text]) => [uid, Buffer.from(answerCell(text, format))]))
    const truth = (value: boolean) => Buffer.from(answerCell(valueText(field, value, options, q), format))
    this.#truths = [truth(true), truth(false)]
    this.columns = inner.columns
    this.longest = Math.max(inner.longest, ...[...this.#cells.values()].map(({ length }) => length))
    this.#inner = inner
    this.#scan = scan
    this.#slot = slot
    this.#writing = writing
  }

  read(bytes: Buffer): void {
    const { kind, start, end } = this.#scan
    const slot = this.#slot
    this.#cell = undefined
    const found = kind[slot]
    if (found !== NUMBER && found !== LIST && found !== TRUE && found !== FALSE) return
    const stored = JSON.parse(bytes.toString('latin1', start[slot]!, end[slot]!)) as Answer
    if (typeof stored === 'number') this.#cell = this.#cells.get(stored)
    else if (typeof stored === 'boolean')
      this.#cell = this.#truths[fromStoredValue(this.#writing.field, stored) ? 0 : 1]
    else {
      // A list where one answer is expected was stored when the question was another.
      const left = offered(fromStoredValue(this.#writing.field, stored))
      if (left !== undefined) this.#cell = Buffer.from(answerCell(JSON.stringify(left), this.#writing.format))
    }
  }

  isAnswered(column: number): boolean {
    const found = this.#scan.kind[this.#slot]
    return found === NUMBER || found === LIST ? this.#cell !== undefined : this.#inner.isAnswered(column)
  }

  write(column: number, bytes: Buffer, out: Output): void {
    if (this.#cell) out.prepared(this.#cell)
    else this.#inner.write(column, bytes, out)
  }
}

/** The column of a multiple choice or a ranking with the labels of what was chosen and is no longer offered. */
export class RemovedCell implements FieldCells {
  readonly columns: readonly ExportColumn[]
  readonly longest: number
  readonly #scan: AnswerScan
  readonly #slot: number
  readonly #writing: Writing
  #text = ''

  constructor(columns: readonly ExportColumn[], scan: AnswerScan, slot: number, writing: Writing) {
    this.columns = columns
    this.#scan = scan
    this.#slot = slot
    this.#writing = writing
    const all = writing.field.removed.map(({ uid }) => removedLabel(uid, writing)).join(', ')
    // Quoted, each of its characters may be written twice.
    this.longest = 2 * Buffer.byteLength(all)
  }

  read(bytes: Buffer): void {
    const { kind, start, end } = this.#scan
    const slot = this.#slot
    this.#text = ''
    if (kind[slot] !== LIST && kind[slot] !== NUMBER) return
    const { field, options, q } = this.#writing
    const stored = [JSON.parse(bytes.toString('latin1', start[slot]!, end[slot]!)) as Answer].flat() as number[]
    const removed = stored.map((uid) => positionOf(field, uid)).filter(isRemoved)
    this.#text = removed
      .map((index) => labelOf(field, index, options.language ?? q.defaultLanguage, q))
      .filter(Boolean)
      .join(', ')
  }

  isAnswered(): boolean {
    return this.#text !== ''
  }

  write(_: number, __: Buffer, out: Output): void {
    out.cell(answerCell(this.#text, this.#writing.format))
  }
}
