import type { FieldError } from '../problem.ts'

const MAXIMUM = 100

/** The faults found so far; past a hundred nobody reads them. */
export class FieldErrors {
  readonly list: FieldError[] = []

  /** `field` is the JSON pointer of the place that is wrong. */
  add(field: string, message: string): void {
    if (this.list.length < MAXIMUM) this.list.push({ field, message })
  }
}
