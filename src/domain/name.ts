import { problems } from './problem.ts'

/** Maximum length of the names of a survey and its parts. */
export const MAX_NAME_CHARACTERS = 255

/**
 * Trims a name and checks its length.
 * @param field request member named in errors
 * @throws {Problem} `invalid_request` for an empty or too long name
 */
export function checkName(name: string, field = 'name', maxCharacters = MAX_NAME_CHARACTERS): string {
  const trimmed = name.trim()
  if (!trimmed) throw problems.invalidField(field, 'blank')
  if (Array.from(trimmed).length > maxCharacters) throw problems.invalidField(field, 'too_long', { max: maxCharacters })
  return trimmed
}

/** Truncates a name to a number of characters. */
export const truncateName = (text: string, maxCharacters = MAX_NAME_CHARACTERS): string =>
  Array.from(text).slice(0, maxCharacters).join('').trim()
