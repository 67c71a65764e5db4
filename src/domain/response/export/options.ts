/** The words for metadata in the language of a page. */
export interface MetaWords {
  /** Translates the label of a meta field. */
  label(text: string): string
  /** The names of the states of a response. */
  states?: readonly string[]
}

/** The formats of a file; each is the end of its name. Programs for statistics read those with types. */
export const exportFormats = ['csv', 'jsonl', 'sav', 'dta', 'parquet'] as const
export type ExportFormat = (typeof exportFormats)[number]
export type DataFormat = Exclude<ExportFormat, 'csv' | 'jsonl'>

/** The options of an export, from the query parameters of docs/specification.md 7.10. */
export interface ExportOptions {
  /** Cells of choices contain the label instead of the index. */
  labels: boolean
  /** Cells of choices contain the score. Takes precedence over `labels`. */
  scores: boolean
  /** Cells of choices contain the code, or without one the position from 1. Takes precedence over `labels`. */
  codes: boolean
  /**
   * A file with labels that an import could read as positions ends with the empty column `_labels`. Version 2 of the API
   * never has this column.
   */
  marksLabels: boolean
  /**
   * The file is for statistics programs (statistics/). Of the other options, only the language, the selection and
   * `withKey` apply.
   */
  statistics: boolean
  /** A format with types has the variables of the file for statistics programs. */
  format: ExportFormat
  /** Header cells contain the response key in braces: `{key}`. */
  keysInHeader: boolean
  /** Header cells contain the title of the question; with `keysInHeader`, they contain `{key} title`. */
  titles: boolean
  /**
   * The file is for people: in titles, placeholders are replaced with the titles of their questions, and the names of
   * parts of answers, such as `other`, are in the language of the export. The API has always written placeholders as
   * they are in the structure, and these names in English.
   */
  titlesForPeople: boolean
  /** One line per answer instead of one per response. */
  inverted: boolean
  /** Line breaks inside a cell become the two characters `\n`. */
  escapeNewline: boolean
  /** HTML tags are removed from answers. */
  stripHtml: boolean
  /** Cells that a spreadsheet program would evaluate as a formula are prefixed with an apostrophe. */
  formulaGuard: boolean
  /** UTF-16LE with a byte order mark, tabs, and quotes around every field: the format that Excel opens directly. */
  tabSeparated: boolean
  /** The file starts with a UTF-8 byte order mark. */
  bom: boolean
  /** Columns appended to each line. */
  withKey: boolean
  withUrl: boolean
  withLink: boolean
  /** The first column is the number of the response on pages. */
  withNumber: boolean
  /** The time zone of the times of the response; absent: UTC. PostgreSQL must know it. */
  timeZone?: string | undefined
  /** The words for metadata in the codebook and in a system file of SPSS; absent: in English. */
  words?: MetaWords | undefined
  /** The words for the states 0, 1 and 2 of a response; absent: in English, as the API writes them. */
  states?: readonly string[] | undefined
  /** In JSON, the GET variables are an object instead of a query string. */
  expandGet: boolean
  /** Language of titles and labels; undefined: the default language, which is also used for missing translations. */
  language: string | undefined
  /** Question ids, identifiers or response keys of the exported question columns; undefined: all. */
  include: readonly string[] | undefined
  /** Ids of the exported responses; undefined: all. */
  ids: readonly number[] | undefined
  /** Numbers of the exported responses on pages; undefined: all. */
  numbers: readonly number[] | undefined
}

export const DEFAULT_EXPORT_OPTIONS: Readonly<ExportOptions> = Object.freeze({
  labels: false,
  scores: false,
  codes: false,
  marksLabels: false,
  statistics: false,
  format: 'csv',
  keysInHeader: false,
  titles: false,
  titlesForPeople: false,
  inverted: false,
  escapeNewline: false,
  stripHtml: false,
  formulaGuard: false,
  tabSeparated: false,
  bom: false,
  withKey: false,
  withUrl: false,
  withLink: false,
  withNumber: false,
  expandGet: false,
  language: undefined,
  include: undefined,
  ids: undefined,
  numbers: undefined,
})
