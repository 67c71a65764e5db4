import type { Json } from '../structure/walk.ts'
import type { Notes } from './notes.ts'

/** The tools whose surveys can be imported. */
export const formatNames = {
  limesurvey: 'LimeSurvey',
  qualtrics: 'Qualtrics',
  googleforms: 'Google Forms',
  surveymonkey: 'SurveyMonkey',
  typeform: 'Typeform',
  redcap: 'REDCap',
  xlsform: 'Kobo, ODK',
  surveyjs: 'SurveyJS',
  fhir: 'FHIR',
} as const

export type FormatName = keyof typeof formatNames

/** A file of the upload. */
export interface SourceFile {
  /** Its name in the archive; `file` for an upload that is no archive. */
  name: string
  bytes: Buffer
  /** Its text; undefined for a file that is not text. */
  text: string | undefined
  /** Its JSON value; undefined for a file that is not JSON. */
  json: unknown
}

/** A value of a response, with the column from which it comes. */
export interface Reading {
  column: string
  value: string
}

/** A response as the other tool exported it. */
export interface SourceResponse {
  /** The row in the file as a spreadsheet shows it, or the position from 1. */
  row: number
  completed: 0 | 1 | 2
  /** The time as written; undefined if there is none. */
  createdAt?: string | undefined
  /** Seconds. */
  completionTime?: number | undefined
  language?: string | undefined
  /** Returns the values of a column or variable that are not blank; several for a list in JSON. */
  values(column: string): readonly string[]
  /** Returns the names of all variables that have a value; absent for tables, whose columns are compared at once. */
  names?(): Iterable<string>
}

/** A choice of the other tool. */
export interface SourceChoice {
  /** The position of the choice in the new survey. */
  index: number
  label: string
}

/**
 * What a response key of the new survey gets from the responses of the other tool. The old totals are counted from what
 * `read` returns, before anything is converted.
 */
export interface Binding {
  /** The response key. */
  key: string
  /** The column or variable, as the proof shows it. */
  column: string
  /**
   * `choice`: one of `choices`; `choices`: any number of them; `ranking`: all of them in order; `number`: a number;
   * `value`: any other answer.
   */
  kind: 'choice' | 'choices' | 'ranking' | 'number' | 'value'
  read(response: SourceResponse): readonly Reading[]
  /** The choices by the value that the other tool exports. */
  choices?: ReadonlyMap<string, SourceChoice>
  /** Converts a value to the notation of the API; undefined for one that does not fit. */
  convert?(value: string): string | undefined
}

/** A survey of another tool. */
export interface Source {
  format: FormatName
  structure: Json & { form: Json[] }
  bindings: readonly Binding[]
  responses: Iterable<SourceResponse>
  notes: Notes
}

/** Reads the files of one tool. */
export interface Format {
  name: FormatName
  /**
   * @returns undefined if the files are not from this tool
   * @throws {MovingError}
   */
  read(files: readonly SourceFile[]): Source | undefined | Promise<Source | undefined>
}

/** Why files cannot be imported. */
export type MovingErrorCode =
  | 'unknown_survey_file'
  | 'damaged_survey_file'
  | 'survey_file_missing'
  | 'survey_file_too_large'
  | 'survey_file_too_complex'
  | 'too_many_responses'
  | 'too_many_files'
  | 'password_protected'
  | 'too_deep'

/** Thrown if files cannot be imported. */
export class MovingError extends Error {
  override name = 'MovingError'
  readonly code: MovingErrorCode
  /** The name of the file. */
  readonly file: string
  readonly params: Readonly<Record<string, string | number>>

  constructor(code: MovingErrorCode, file = 'file', params: Readonly<Record<string, string | number>> = {}) {
    super(`${file}: ${code}`)
    this.code = code
    this.file = file
    this.params = params
  }
}

/** The limits of an import. */
export const LIMITS = {
  /** Files in an archive. */
  files: 50,
  /** Megabytes of all files, unpacked. */
  megabytes: 40,
  /** Responses. */
  responses: 100_000,
  /** Columns of a table. */
  columns: 20_000,
  /** Levels of nested elements or values. */
  depth: 64,
} as const

/** Reads one column. */
export const cell =
  (column: string): Binding['read'] =>
  (response) =>
    response.values(column).map((value) => ({ column, value }))

/** Reads the columns of single choices: the result is the code of each column whose cell is ticked. */
export const ticks =
  (columns: readonly { column: string; code: string }[], isTicked: (value: string) => boolean | undefined) =>
  (response: SourceResponse): readonly Reading[] =>
    columns.flatMap(({ column, code }) => {
      const [value] = response.values(column)
      if (value === undefined) return []
      const ticked = isTicked(value)
      if (ticked === false) return []
      return [{ column, value: ticked ? code : value }]
    })

/** Reads the columns of choices that contain their ranks from 1: the result is their codes in this order. */
export const ranks =
  (columns: readonly { column: string; code: string }[]): Binding['read'] =>
  (response) =>
    columns
      .flatMap(({ column, code }) => {
        const [value] = response.values(column)
        if (value === undefined) return []
        const rank = Number(value)
        return [{ rank, column, value: Number.isFinite(rank) ? code : value }]
      })
      .sort((a, b) => a.rank - b.rank)
      .map(({ column, value }) => ({ column, value }))
