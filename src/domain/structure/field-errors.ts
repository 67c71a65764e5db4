import { detail, type ErrorDetail, type ErrorDetailName, messageOf } from '../error-details.ts'
import { type FieldError, type FieldErrorCode, type FieldErrorParams, fieldError } from '../field-error.ts'

const MAX_ERRORS = 100

/** Collects the errors of a structure, at most a hundred. */
export class FieldErrors {
  readonly list: FieldError[] = []

  /**
   * @param pointer JSON pointer (RFC 6901) of the invalid value
   * @param message replaces the text of the code
   */
  add(pointer: string, code: FieldErrorCode, params?: FieldErrorParams, message?: string | ErrorDetail): void {
    if (this.list.length < MAX_ERRORS) this.list.push(fieldError(pointer, code, params, message))
  }

  /**
   * Adds the error of a value that does not have the expected type. The parameter `type` of the error is the expected
   * type in English, such as `an object`.
   * @param code `invalid_type`, or `invalid_value` if the value must be one of several values
   */
  addType(
    pointer: string,
    name: ErrorDetailName,
    values: ErrorDetail['values'] = {},
    code: FieldErrorCode = 'invalid_type',
  ): void {
    const precise = detail(name, values)
    this.add(pointer, code, { type: messageOf(precise).replace(/^must be /, '') }, precise)
  }
}
