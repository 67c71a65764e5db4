/** Reading authored JSON, before anything is known of its shape. */

export type Json = Record<string, unknown>

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** One step down a JSON pointer (RFC 6901). */
export const under = (pointer: string, step: string | number): string =>
  `${pointer}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`

/** A question as authored, and the JSON pointer of it. */
export interface Position {
  value: unknown
  pointer: string
}

/** `page` is missing where bare questions stand in `form` without a page around them. */
export interface PagePlace {
  page?: Json
  pointer: string
  questions: Position[]
}

const isBareQuestion = (entry: unknown): boolean =>
  isRecord(entry) && typeof entry.idname === 'string' && entry.type !== 'page'

/**
 * The pages of an authored `form` with the places of their questions. Neighbouring questions that stand in `form`
 * without a page make one page together. Entries that are no objects are left out: `checkStructure` names them.
 */
export function pagePlaces(form: unknown): PagePlace[] {
  const pages: PagePlace[] = []
  let open: PagePlace | undefined
  for (const [index, entry] of arrayOf(form).entries()) {
    const pointer = `/form/${index}`
    if (isBareQuestion(entry)) {
      if (!open) {
        open = { pointer, questions: [] }
        pages.push(open)
      }
      open.questions.push({ value: entry, pointer })
      continue
    }
    open = undefined
    if (!isRecord(entry)) continue
    const questions = arrayOf(entry.children).map((value, at) => ({ value, pointer: `${pointer}/children/${at}` }))
    pages.push({ page: entry, pointer, questions })
  }
  return pages
}
