/** Why a file cannot be read as a workbook. */
export type WorkbookErrorReason = 'not_a_workbook' | 'old_format' | 'password_protected' | 'too_large' | 'damaged'

/** The unit of an exceeded limit. */
export type WorkbookUnit =
  | 'characters'
  | 'characters in a cell'
  | 'characters in comments'
  | 'characters in the choices of all questions'
  | 'columns in a sheet'
  | 'cells'
  | 'files'
  | 'MB'
  | 'MB in the survey'
  | 'attributes of an element'
  | 'rows in the sheet survey'
  | 'rules'
  | 'values in the survey'

/** Thrown if a file cannot be read as a workbook. */
export class WorkbookError extends Error {
  readonly reason: WorkbookErrorReason
  /** The limit that was exceeded and its unit, for `too_large`. */
  readonly params: { max: number; unit: WorkbookUnit } | undefined

  constructor(reason: WorkbookErrorReason, params?: { max: number; unit: WorkbookUnit }) {
    super(`The workbook cannot be read: ${reason}`)
    this.name = 'WorkbookError'
    this.reason = reason
    this.params = params
  }
}
