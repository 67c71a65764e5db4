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

/** Headings that pyxform reads as another one. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['caption', 'label'],
  ['command', 'type'],
  ['tag', 'name'],
  ['value', 'name'],
  ['relevance', 'relevant'],
  ['calculate', 'calculation'],
  ['constraint_msg', 'constraint_message'],
  ['constraining_message', 'constraint_message'],
  ['required_msg', 'required_message'],
  ['requiredmsg', 'required_message'],
  ['readonly', 'read_only'],
  ['count', 'repeat_count'],
  ['jr:count', 'repeat_count'],
  ['listname', 'list_name'],
  ['image', 'media::image'],
  ['big-image', 'media::big-image'],
  ['audio', 'media::audio'],
  ['video', 'media::video'],
])

/** Headings inside a group, such as `bind::relevant` and `body::appearance`. */
const GROUPED: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  bind: new Map([
    ['relevant', 'relevant'],
    ['constraint', 'constraint'],
    ['required', 'required'],
    ['calculate', 'calculation'],
    ['readonly', 'read_only'],
    ['jr:constraintmsg', 'constraint_message'],
    ['jr:requiredmsg', 'required_message'],
  ]),
  control: new Map([
    ['appearance', 'appearance'],
    ['jr:count', 'repeat_count'],
    ['rows', 'rows'],
  ]),
}

/** Columns whose texts can have a language. */
const TRANSLATED: ReadonlySet<string> = new Set([
  'label',
  'hint',
  'guidance_hint',
  'constraint_message',
  'required_message',
])

/** A sheet with its header row. */
export class Table {
  readonly sheet: string
  readonly rows: TableRow[]
  readonly columns: readonly Column[]
  readonly #byName = new Map<string, Column[]>()
  readonly #byIndex: ReadonlyMap<number, Column>
  /** The rows whose texts had formatting, by column. */
  readonly #formatted = new Map<number, Set<number>>()

  constructor(sheet: string, rows: readonly SheetRow[], languages: Languages) {
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
      return [{ index, letters, heading, name, language: code }]
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

  /** Returns a text without formatting, and remembers its cell if it had any. */
  plainText(cell: string, row: number, index: number): string {
    const text = plainLabel(cell)
    if (text !== cell.trim()) {
      const rows = this.#formatted.get(index) ?? new Set()
      this.#formatted.set(index, rows.add(row))
    }
    return text
  }

  /** Adds an issue for each column with formatting. */
  reportFormatting(issues: Issues): void {
    for (const [index, rows] of this.#formatted) {
      const [row] = rows
      issues.add(
        'formatting_removed',
        { sheet: this.sheet, row, column: this.columnAt(index)?.letters },
        `HTML or Markdown was removed from ${rows.size === 1 ? '1 cell' : `${rows.size} cells`} of this column, because texts of surveys are plain text.`,
      )
    }
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

  /** Returns the cell of a column without a language, with straight quotes; '' if it is empty. */
  get(name: string): string {
    return plainCell(this.getText(name))
  }

  /** Returns the text of a column without a language, as written; '' if it is empty. */
  getText(name: string): string {
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
      const text = this.#table.plainText(cell, this.number, index)
      if (text !== '') texts[column.language ?? defaultLanguage] ??= text
    }
    return Object.keys(texts).length > 0 ? texts : undefined
  }

  /** Returns where a cell is. */
  at(name?: string): { sheet: string; row: number; column: string | undefined } {
    const [column] = name === undefined ? [] : this.#table.columnsOf(name)
    return { sheet: this.#table.sheet, row: this.number, column: column?.letters }
  }

  /** Returns where the cell of a column is, counted from 0. */
  atColumn(index: number): { sheet: string; row: number; column: string | undefined } {
    return { sheet: this.#table.sheet, row: this.number, column: this.#table.columnAt(index)?.letters }
  }
}

/**
 * Parses a heading as pyxform does: parts are separated by `::` or, in old forms, by `:`. The part after a column with
 * texts is a language.
 */
function parseHeading(heading: string): { name: string; language: string | undefined } {
  const parts = heading
    .split(heading.includes('::') ? '::' : /(?<!\bjr):/i)
    .map((part) => part.trim())
    .filter((part, index) => part !== '' || index === 0)
  const names = parts.map((part) => part.toLowerCase().replace(/\s+/g, '_'))
  const group = names[0] === 'body' ? 'control' : names[0]!
  const grouped = Object.hasOwn(GROUPED, group) ? GROUPED[group]!.get(names[1] ?? '') : undefined
  const own = grouped ?? SYNONYMS.get(names[0]!) ?? names[0]!
  const rest = parts.slice(grouped === undefined ? 1 : 2)
  if (rest.length === 0) return { name: own, language: undefined }
  if (TRANSLATED.has(own)) return { name: own, language: rest.join(' ') }
  return { name: SYNONYMS.get(names.join('::')) ?? names.join('::'), language: undefined }
}

/**
 * Conversion of the texts of a form. ODK shows labels with Markdown and some HTML; texts of surveys are plain text. Only
 * what ODK would read as formatting is removed, so that `<name>`, `a**b` and `# of children` stay.
 */

/** The elements that ODK and KoboToolbox render, and those that authors paste from word processors. */
const ELEMENTS =
  'a|abbr|address|article|b|big|blockquote|br|center|cite|code|dd|del|details|div|dl|dt|em|figure|font|footer|h[1-6]|header|hr|i|img|ins|kbd|label|li|mark|ol|p|pre|q|s|samp|section|small|span|strike|strong|style|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var'
const TAG = new RegExp(`</?(${ELEMENTS})(?=[\\s/>])[^<>]{0,1000}>`, 'gi')
/** Elements after which, or in place of which, a line ends. */
const LINE_ELEMENTS =
  /^(?:address|article|blockquote|br|center|dd|div|dl|dt|figure|footer|h[1-6]|header|hr|li|ol|p|pre|section|table|tr|ul)$/i
const CELL_ELEMENTS = /^t[dh]$/i

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

/** Emphasis, but only where its marks are at the edges of words. The marks that end it are the next ones. */
const EMPHASIS = ['**', '__', '*', '_'].map((mark) => {
  const sign = mark[0] === '*' ? '\\*' : '_'
  const marks = sign.repeat(mark.length)
  const isOutside = `[\\p{L}\\p{N}${sign}]`
  return new RegExp(`(?<!${isOutside})${marks}(?=\\S)([^${sign}\\n]{0,999}[^${sign}\\s])${marks}(?!${isOutside})`, 'gu')
})

/**
 * Returns a label as plain text: elements and emphasis are removed, line elements become line breaks, and links are
 * written as `text (address)`.
 */
function plainLabel(text: string): string {
  const withoutTags = text.replace(TAG, (_, name: string) =>
    LINE_ELEMENTS.test(name) ? '\n' : CELL_ELEMENTS.test(name) ? ' ' : '',
  )
  const linked = withoutTags.replace(
    /!?\[([^\][\n]{1,1000})\]\((https?:\/\/[^\s()]{1,1000})\)/g,
    (_, label: string, url: string) => (label === url ? url : `${label} (${url})`),
  )
  const unescaped = EMPHASIS.reduce((result, pattern) => result.replace(pattern, '$1'), linked)
    // `# of children` is a label about a number, and no heading.
    .replace(/^#{1,6} (?=\s*[^\s\p{Ll}])/gmu, '')
    .replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (_, name: string) => ENTITIES[name]!)
  const isChanged = withoutTags !== text
  return (isChanged ? unescaped.replace(/[ \t]*\n[ \t]*/g, '\n').replace(/\n{3,}/g, '\n\n') : unescaped).trim()
}

/**
 * Straightens typographic quotes and collapses spaces, as pyxform does in all cells. Labels keep theirs.
 */
const plainCell = (text: string): string =>
  text
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replaceAll('\u00a0', ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
