import { columnLetters, type SheetRow } from '../../../lib/xlsx/sheet.ts'
import { WorkbookError } from '../../../lib/xlsx/workbook-error.ts'
import type { Issues } from './issues.ts'
import type { Languages } from './languages.ts'

/** A text from the sheet: a string in the default language, or one text for each language code. */
export type FormText = string | Record<string, string>

/** A column of a sheet. */
interface Column {
  index: number
  letters: string
  /** The heading in a uniform notation: `constraint_message` for `constraint message`. */
  name: string
  /** The heading as written. */
  heading: string
  /** The language of its texts; undefined for a column without a language. */
  language: string | undefined
}

/** Maximum number of columns of a sheet. */
const MAX_COLUMNS = 500
/** Maximum length of a heading. Longer headings are truncated. */
const MAX_HEADING_CHARACTERS = 100

/** Alternative headings, with the name that the conversion uses. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['caption', 'label'],
  ['command', 'type'],
  ['relevance', 'relevant'],
  ['bind::relevant', 'relevant'],
  ['bind:relevant', 'relevant'],
  ['bind::constraint', 'constraint'],
  ['bind:constraint', 'constraint'],
  ['bind::required', 'required'],
  ['bind:required', 'required'],
  ['bind::calculate', 'calculation'],
  ['bind:calculate', 'calculation'],
  ['bind::jr:constraintmsg', 'constraint_message'],
  ['bind:jr:constraintmsg', 'constraint_message'],
  ['bind::readonly', 'read_only'],
  ['calculate', 'calculation'],
  ['constraint_msg', 'constraint_message'],
  ['readonly', 'read_only'],
  ['control::appearance', 'appearance'],
  ['listname', 'list_name'],
])

/** Columns whose texts can have a language. */
const TRANSLATED = ['label', 'hint', 'constraint_message', 'bind::jr:constraintmsg', 'bind:jr:constraintmsg']

/** A sheet with its header row. */
export class Table {
  readonly sheet: string
  readonly rows: TableRow[]
  readonly columns: readonly Column[]
  readonly #byName = new Map<string, Column[]>()
  readonly #byIndex: ReadonlyMap<number, Column>

  /** @param renamed the names that the conversion uses for headings of this sheet, by heading */
  constructor(
    sheet: string,
    rows: readonly SheetRow[],
    languages: Languages,
    renamed: ReadonlyMap<string, string> = new Map(),
  ) {
    const [header, ...rest] = rows
    this.sheet = sheet
    const headings = [...(header?.cells ?? [])]
    if (headings.length > MAX_COLUMNS)
      throw new WorkbookError('too_large', { max: MAX_COLUMNS, unit: 'columns in a sheet' })
    const filled = new Set(rest.flatMap(({ cells }) => [...cells.keys()]))
    this.columns = headings.flatMap(([index, cell]) => {
      const heading = cell.slice(0, MAX_HEADING_CHARACTERS).toWellFormed()
      const { name, language } = parseHeading(heading)
      // A form often has columns for languages into which it is not translated yet.
      if (language !== undefined && !filled.has(index)) return []
      const letters = columnLetters(index)
      const code = language && languages.codeOf(language, { sheet, column: letters })
      return [{ index, letters, heading, name: renamed.get(name) ?? name, language: code }]
    })
    for (const column of this.columns) {
      const columns = this.#byName.get(column.name)
      if (columns) columns.push(column)
      else this.#byName.set(column.name, [column])
    }
    this.#byIndex = new Map(this.columns.map((column) => [column.index, column]))
    this.rows = rest.map((row) => new TableRow(this, row))
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  columnAt(index: number): Column | undefined {
    return this.#byIndex.get(index)
  }

  /** Returns the columns with a name: one for each language. */
  columnsOf(name: string): readonly Column[] {
    return this.#byName.get(name) ?? []
  }

  /**
   * Adds an issue for each column that has filled cells and is not one of the `known` columns.
   * @param known names of columns that the conversion uses or that change nothing for respondents
   */
  reportIgnored(issues: Issues, known: ReadonlySet<string>): void {
    const ignored = new Map(
      this.columns.filter(({ name }) => !known.has(name)).map((column) => [column.index, { column, cells: 0 }]),
    )
    const firsts = new Map<number, TableRow>()
    for (const row of this.rows) {
      for (const index of row.filled) {
        const counted = ignored.get(index)
        if (counted?.cells === 0) firsts.set(index, row)
        if (counted) counted.cells++
      }
    }
    for (const [index, first] of firsts) {
      const { column, cells } = ignored.get(index)!
      issues.add(
        'column_ignored',
        { sheet: this.sheet, row: first.number, column: column.letters },
        `The column “${column.heading}” is not supported: ${cells === 1 ? '1 cell' : `${cells} cells`} ignored. Check whether the survey works without it.`,
        first.cellAt(index),
      )
    }
  }
}

/** A row below the header. */
export class TableRow {
  readonly number: number
  readonly #table: Table
  readonly #cells: ReadonlyMap<number, string>

  constructor(table: Table, { number, cells }: SheetRow) {
    this.#table = table
    this.number = number
    this.#cells = cells
  }

  /** The columns with a text. */
  get filled(): Iterable<number> {
    return this.#cells.keys()
  }

  cellAt(index: number): string {
    return this.#cells.get(index) ?? ''
  }

  /** Returns the text of a column without a language, '' if it is empty. */
  get(name: string): string {
    const column = this.#table.columnsOf(name).find(({ language }) => language === undefined)
    return column ? this.cellAt(column.index) : ''
  }

  /** Returns whether a cell means yes: `yes`, `true`, `TRUE()` or `1`. */
  isYes(name: string): boolean {
    return /^(?:yes|true|true\(\)|1)$/i.test(this.get(name))
  }

  /** Returns the text of a column in all its languages; undefined if it is empty. */
  text(name: string, defaultLanguage: string): FormText | undefined {
    const texts: Record<string, string> = {}
    for (const [index, cell] of this.#cells) {
      const column = this.#table.columnAt(index)
      if (column?.name !== name) continue
      const text = plainText(cell)
      if (text !== '') texts[column.language ?? defaultLanguage] ??= text
    }
    return Object.keys(texts).length > 0 ? texts : undefined
  }

  /** Returns where a cell is. */
  at(name?: string): { sheet: string; row: number; column: string | undefined } {
    const [column] = name === undefined ? [] : this.#table.columnsOf(name)
    return { sheet: this.#table.sheet, row: this.number, column: column?.letters }
  }
}

function parseHeading(heading: string): { name: string; language: string | undefined } {
  const lower = heading.trim().toLowerCase()
  for (const base of TRANSLATED) {
    const spaced = base.replaceAll('_', '[ _]')
    const match = new RegExp(`^${spaced}\\s*::?\\s*(.+)$`).exec(lower)
    if (match) return { name: SYNONYMS.get(base) ?? base, language: heading.trim().slice(-match[1]!.length).trim() }
  }
  const name = lower.replace(/\s*(::?)\s*/g, '$1').replace(/\s+/g, '_')
  return { name: SYNONYMS.get(name) ?? name, language: undefined }
}

/** Removes HTML tags and the emphasis of Markdown, because texts of surveys are plain text. */
const plainText = (text: string): string =>
  text
    .replace(/<\/?[a-zA-Z][^<>]{0,1000}>/g, '')
    .replace(/\*\*([^*]{1,5000})\*\*/g, '$1')
    .replace(/^#{1,6} /gm, '')
    .trim()
