import { problems } from './problem.ts'

/** Longest name of a survey and of the objects that belong to it. */
export const MAX_NAME_CHARACTERS = 255

/**
 * Trims a name and checks its length.
 * @param field name of the request member in errors
 * @throws {Problem} `invalid_request` for an empty name and for one that is too long
 */
export function checkName(name: string, field = 'name', maxCharacters = MAX_NAME_CHARACTERS): string {
  const trimmed = name.trim()
  if (!trimmed) throw problems.invalidField(field, 'blank')
  if (Array.from(trimmed).length > maxCharacters) throw problems.invalidField(field, 'too_long', { max: maxCharacters })
  return trimmed
}

/** Returns the beginning of a text, cut between characters. */
export const truncateName = (text: string, maxCharacters = MAX_NAME_CHARACTERS): string =>
  Array.from(text).slice(0, maxCharacters).join('').trim()
