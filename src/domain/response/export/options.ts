/** The options of an export, from the query parameters of docs/specification.md 7.10. */
export interface ExportOptions {
  /** Choice cells show the label instead of the index. */
  labels: boolean
  /** Choice cells show the score; wins over `labels`. */
  scores: boolean
  /** Header cells are `{key}`. */
  keysInHeader: boolean
  /** Header cells are the question's title; together with `keysInHeader` `{key} title`. */
  titles: boolean
  /** One line an answer instead of one line a response. */
  inverted: boolean
  /** Line breaks inside a cell become the two characters `\n`. */
  escapeNewline: boolean
  /** Answers lose their HTML tags. */
  stripHtml: boolean
  /** Cells that a spreadsheet would run get an apostrophe in front. */
  formulaGuard: boolean
  /** UTF-16LE with its mark, tabs, every field quoted: what Excel opens by a double click. */
  tabSeparated: boolean
  /** A UTF-8 mark in front. */
  bom: boolean
  /** Columns appended to each line. */
  withKey: boolean
  withUrl: boolean
  withLink: boolean
  /** Of titles and labels; the survey's default where it is absent or a text lacks it. */
  language: string | undefined
  /** Question ids, identifiers or response keys to restrict the question columns to. */
  include: readonly string[] | undefined
  /** Response ids to restrict the lines to. */
  ids: readonly number[] | undefined
}

export const plainExport: Readonly<ExportOptions> = Object.freeze({
  labels: false,
  scores: false,
  keysInHeader: false,
  titles: false,
  inverted: false,
  escapeNewline: false,
  stripHtml: false,
  formulaGuard: false,
  tabSeparated: false,
  bom: false,
  withKey: false,
  withUrl: false,
  withLink: false,
  language: undefined,
  include: undefined,
  ids: undefined,
})
