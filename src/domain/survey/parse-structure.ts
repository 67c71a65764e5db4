import { problems } from '../problem.ts'
import { checkStructure } from '../structure/check.ts'
import type { LanguageText } from '../structure/questionnaire.ts'
import { normaliseStructure, type Structure } from '../structure/structure.ts'
import { isRecord } from '../structure/walk.ts'

/**
 * Adds a title to an authored structure that has none. The title is the member `name`, which old clients send. If there
 * is no `name` and the structure has pages, the title is `fallback`. Does not validate the structure.
 */
export function withTitle(authored: unknown, fallback?: LanguageText | string): unknown {
  if (!isRecord(authored) || authored.title !== undefined) return authored
  const title = hasText(authored.name) ? authored.name : authored.form && fallback
  return title ? { title, ...authored } : authored
}

function hasText(name: unknown): boolean {
  const texts = isRecord(name) ? Object.values(name) : [name]
  return texts.every((text) => typeof text === 'string') && texts.some((text) => text.trim() !== '')
}

/**
 * Validates an authored structure and normalises it for storage.
 * @throws {Problem} `invalid_structure`, each error with a JSON pointer
 */
export function parseStructure(structure: unknown): Structure {
  const errors = checkStructure(structure)
  if (errors.length) throw problems.invalidStructure(errors)
  return normaliseStructure(structure)
}
