import { detail, type ErrorDetail, type ErrorDetailName, messageOf } from '../error-details.ts'
import { type FieldError, type FieldErrorCode, type FieldErrorParams, fieldError } from '../field-error.ts'

/** Functions that read authored JSON whose shape has not been checked. */

export type Json = Record<string, unknown>

/** Reports whether a value is a JSON object. */
export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns an object unchanged. For any other value, returns an object without members. */
export const membersOf = (value: unknown): Json => (isRecord(value) ? value : {})

/** Reports whether a value is present; null counts as absent. */
export const isPresent = (value: unknown): boolean => value !== undefined && value !== null

/** Returns an array unchanged. For any other value, returns an empty array. */
export const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns the objects of an array; none for any other value. */
export const recordsIn = (value: unknown): readonly Json[] => arrayOf(value).filter(isRecord)

/** Appends a step to a JSON pointer (RFC 6901). */
export const under = (pointer: string, step: string | number): string =>
  typeof step === 'number' || !/[~/]/.test(step)
    ? `${pointer}/${step}`
    : `${pointer}/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** An authored question and its JSON pointer. */
interface QuestionNode {
  value: Json
  pointer: string
}

/** A page of an authored `form`. `page` is absent for questions outside a page. */
export interface PageNode {
  page?: Json
  pointer: string
  questions: QuestionNode[]
}

/**
 * Returns the pages of an authored `form` with their questions. Consecutive questions outside of pages become one page.
 * Pages and questions that are not objects are omitted; `checkStructure` reports them.
 */
export function pageNodes(form: unknown): PageNode[] {
  const pages: PageNode[] = []
  let implicitPage: PageNode | undefined
  for (const [index, entry] of arrayOf(form).entries()) {
    const pointer = `/form/${index}`
    if (!isRecord(entry)) {
      implicitPage = undefined
      continue
    }
    if (typeof entry.idname === 'string' && entry.type !== 'page') {
      if (!implicitPage) {
        implicitPage = { pointer, questions: [] }
        pages.push(implicitPage)
      }
      implicitPage.questions.push({ value: entry, pointer })
      continue
    }
    implicitPage = undefined
    const questions = arrayOf(entry.children).flatMap((value, position) =>
      isRecord(value) ? [{ value, pointer: `${pointer}/children/${position}` }] : [],
    )
    pages.push({ page: entry, pointer, questions })
  }
  return pages
}

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

/** The highest stable number that an author can set for a choice or row. */
export const MAX_UID = 999_999

/** Returns the stable number of a choice or row. For an item stored without a number, returns its position. */
export const uidOf = (item: Json, index: number): number => (Number.isInteger(item.uid) ? Number(item.uid) : index)

/** Maximum number of characters of the code of a choice, row or column. */
export const MAX_CODE_CHARACTERS = 64

/**
 * Returns the code that the author gave a choice, row or column: a text that names it in exports, filters and
 * conditions. A structure that was saved before codes existed can have any value here.
 */
export const codeOf = ({ code }: Json): string | undefined =>
  typeof code === 'string' && code.trim() !== '' && code.length <= MAX_CODE_CHARACTERS ? code : undefined

/** Returns the member `code` of a compiled choice or row; no member if the author gave no code. */
export function codeMember(item: Json): { code?: string } {
  const code = codeOf(item)
  return code === undefined ? {} : { code }
}
