const define = <Code extends string>(codes: Record<Code, string>): Readonly<Record<Code, string>> => codes

/** Every code of an issue of a converted XLSForm, with its description in the API reference. */
export const issueCodes = define({
  sheet_ignored: 'The sheet has no counterpart in Canvass.',
  column_ignored: 'The column has no counterpart in Canvass.',
  setting_ignored: 'The setting has no counterpart in Canvass.',
  appearance_ignored: 'The appearance or parameter has no counterpart in Canvass.',
  row_ignored: 'The row has no type. It was left out.',
  type_not_supported: 'The type of the row has no counterpart. The row was left out.',
  type_replaced: 'The type of the row has no counterpart. The question has a similar type.',
  repeat_not_supported: 'The questions of a repeat are asked once.',
  group_not_closed: 'A group has no end, or an end has no group.',
  name_changed: 'The name of the row is missing, reserved or used twice. The question has another ID.',
  reserved_id: 'The name of the row is a parameter of survey addresses, which fills in no answer.',
  label_missing: 'The question has no label. Its name is its title.',
  list_not_found: 'The list of choices does not exist. The row was left out.',
  list_too_long: 'The list has too many choices. Further choices were left out.',
  code_changed: 'The name of the choice occurs twice in its list, or is too long. The choice has another code.',
  required_removed: 'The question is optional, because its condition cannot be converted.',
  formatting_removed: 'HTML or Markdown was removed, because texts of surveys are plain text.',
  expression_not_supported: 'The expression cannot be converted. The rule was left out.',
  expression_simplified: 'The expression was replaced with a similar rule.',
  calculation_not_supported: 'The calculation cannot be converted. The row was left out.',
  reference_not_found: 'A text refers to a question that is not in the survey. The reference was removed.',
  language_assumed: 'The form names no language. The survey is declared as English.',
  language_unknown: 'The name of the language is not known. Its texts have an invented language code.',
  too_many_issues: 'Further issues are not listed.',
})

export type IssueCode = keyof typeof issueCodes

/** A part of an XLSForm that was left out or changed. */
export interface Issue {
  code: IssueCode
  sheet: string
  /** Row as a spreadsheet shows it; null for the whole sheet or column. */
  row: number | null
  /** Letters of the column; null for the whole row. */
  column: string | null
  /** The content of the cell, shortened; null if there is none. */
  value: string | null
  /** What was left out or changed, and what the author can do. */
  message: string
}

/** The location of an issue. */
export interface CellReference {
  sheet: string
  row?: number | undefined
  column?: string | undefined
}

const MAX_ISSUES = 500
const MAX_VALUE_CHARACTERS = 200

/** Collects issues. */
export class Issues {
  readonly list: Issue[] = []

  add(code: IssueCode, { sheet, row, column }: CellReference, message: string, value?: string): void {
    if (this.list.length > MAX_ISSUES) return
    const isLast = this.list.length === MAX_ISSUES
    this.list.push({
      code: isLast ? 'too_many_issues' : code,
      sheet,
      row: isLast ? null : (row ?? null),
      column: isLast ? null : (column ?? null),
      value: isLast || value === undefined ? null : shorten(value),
      message: isLast ? `Only the first ${MAX_ISSUES} issues are listed. Check the rest of the survey.` : message,
    })
  }
}

const shorten = (value: string): string =>
  value.length > MAX_VALUE_CHARACTERS ? `${value.slice(0, MAX_VALUE_CHARACTERS).toWellFormed()}…` : value
