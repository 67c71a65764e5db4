import { FILE_LIMITS, withFileAddresses } from '../../structure/file-answer.ts'
import type { FieldCells } from './answers.ts'
import { answerCell, type CellFormat } from './cell.ts'
import type { ExportColumn } from './columns.ts'
import type { Output } from './output.ts'
import { ABSENT, type AnswerScan, STRING, stringAt } from './scan.ts'

/** Length of a file key in a list of addresses, with the slash and the space that follow the key. */
const KEY_BYTES = 34

/**
 * Writes the answer to a file question: the addresses of its files. An answer that is not a list of file keys is
 * written unchanged.
 */
export class FileCell implements FieldCells {
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
