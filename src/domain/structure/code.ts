import type { Json } from './walk.ts'

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
