import { type FieldError, type FieldErrorCode, type FieldErrorParams, fieldError } from '../field-error.ts'

const MAX_ERRORS = 100

/** Collects the errors of a structure, at most a hundred. */
export class FieldErrors {
  readonly list: FieldError[] = []

  /**
   * @param pointer of the invalid value (RFC 6901)
   * @param message replaces the text of the code
   */
  add(pointer: string, code: FieldErrorCode, params?: FieldErrorParams, message?: string): void {
    if (this.list.length < MAX_ERRORS) this.list.push(fieldError(pointer, code, params, message))
  }
}
