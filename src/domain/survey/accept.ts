import { problems } from '../problem.ts'
import { checkStructure } from '../structure/check.ts'
import { normaliseStructure, type Structure } from '../structure/structure.ts'

/** Longest name of a survey and of what stands beside it, in characters. */
export const LONGEST_NAME = 255

/**
 * A name as it is kept: without spaces around it.
 * @param field what the caller gave it in
 * @throws {Problem} `invalid_request`
 */
export function checkName(name: string, field = 'name', longest = LONGEST_NAME): string {
  const trimmed = name.trim()
  if (!trimmed) throw problems.invalidField(field, 'must not be empty')
  if (Array.from(trimmed).length > longest)
    throw problems.invalidField(field, `must have at most ${longest} characters`)
  return trimmed
}

/** The beginning of a text, cut between characters. */
export const shortened = (text: string, longest = LONGEST_NAME): string =>
  Array.from(text).slice(0, longest).join('').trim()

/**
 * Checks a structure and brings it into the form in which it is kept.
 * @throws {Problem} `invalid_request`, each fault by JSON pointer.
 */
export function acceptStructure(structure: unknown): Structure {
  const faults = checkStructure(structure)
  if (faults.length) throw problems.invalid(faults)
  return normaliseStructure(structure)
}
