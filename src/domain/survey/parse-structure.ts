import { problems } from '../problem.ts'
import { checkStructure } from '../structure/check.ts'
import type { LanguageText } from '../structure/questionnaire.ts'
import { normaliseStructure, type Structure } from '../structure/structure.ts'
import { isRecord } from '../structure/walk.ts'

/**
 * Returns an authored structure with a title: its own, else its `name`, as old clients send it, else, if it has pages at
 * all, `otherwise`. Whether what it returns can be accepted is not checked here.
 */
export function withTitle(authored: unknown, otherwise?: LanguageText | string): unknown {
  if (!isRecord(authored) || authored.title !== undefined) return authored
  const title = hasText(authored.name) ? authored.name : authored.form && otherwise
  return title ? { title, ...authored } : authored
}

function hasText(name: unknown): boolean {
  const texts = isRecord(name) ? Object.values(name) : [name]
  return texts.every((text) => typeof text === 'string') && texts.some((text) => text.trim() !== '')
}

/**
 * Checks a structure and brings it into the form in which it is kept.
 * @throws {Problem} `invalid_structure`, each error with a JSON pointer.
 */
export function parseStructure(structure: unknown): Structure {
  const errors = checkStructure(structure)
  if (errors.length) throw problems.invalidStructure(errors)
  return normaliseStructure(structure)
}
