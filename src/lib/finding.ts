/** The result of one check. */
export interface Finding {
  /** The group and the name of the check, for example `database.schema`. */
  check: string
  status: 'ok' | 'warning' | 'error'
  /** What was found. */
  message: string
  /** What the operator has to do; absent if the status is `ok`. */
  mend?: string
}
