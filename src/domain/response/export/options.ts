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
  /** One line per answer instead of one per response. */
  inverted: boolean
  /** Line breaks inside a cell become the two characters `\n`. */
  escapeNewline: boolean
  /** HTML tags are removed from answers. */
  stripHtml: boolean
  /** Cells that a spreadsheet would evaluate are prefixed with an apostrophe. */
  formulaGuard: boolean
  /** UTF-16LE with a byte order mark, tabs and quotes around every field, as Excel opens it directly. */
  tabSeparated: boolean
  /** Starts with a UTF-8 byte order mark. */
  bom: boolean
  /** Columns appended to each line. */
  withKey: boolean
  withUrl: boolean
  withLink: boolean
  /** Language of titles and labels; where absent or not translated, the default language of the survey. */
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
