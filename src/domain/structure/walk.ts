/** Functions that read authored JSON whose shape has not been checked. */

export type Json = Record<string, unknown>

/** Reports whether a value is a JSON object. */
export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns an array unchanged. For any other value, returns an empty array. */
export const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Appends a step to a JSON pointer (RFC 6901). */
export const under = (pointer: string, step: string | number): string =>
  typeof step === 'number' || !/[~/]/.test(step)
    ? `${pointer}/${step}`
    : `${pointer}/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** An authored question and its JSON pointer. */
export interface QuestionNode {
  value: unknown
  pointer: string
}

/** A page of an authored `form`. `page` is absent for questions outside a page. */
export interface PageNode {
  page?: Json
  pointer: string
  questions: QuestionNode[]
}

const isBareQuestion = (entry: unknown): boolean =>
  isRecord(entry) && typeof entry.idname === 'string' && entry.type !== 'page'

/**
 * Returns the pages of an authored `form` with their questions. Consecutive questions outside of pages become one page.
 * Entries that are not objects are omitted; `checkStructure` reports them.
 */
export function pageNodes(form: unknown): PageNode[] {
  const pages: PageNode[] = []
  let implicitPage: PageNode | undefined
  for (const [index, entry] of arrayOf(form).entries()) {
    const pointer = `/form/${index}`
    if (isBareQuestion(entry)) {
      if (!implicitPage) {
        implicitPage = { pointer, questions: [] }
        pages.push(implicitPage)
      }
      implicitPage.questions.push({ value: entry, pointer })
      continue
    }
    implicitPage = undefined
    if (!isRecord(entry)) continue
    const questions = arrayOf(entry.children).map((value, position) => ({
      value,
      pointer: `${pointer}/children/${position}`,
    }))
    pages.push({ page: entry, pointer, questions })
  }
  return pages
}
