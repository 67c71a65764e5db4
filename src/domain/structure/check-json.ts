import type { FieldErrors } from './field-errors.ts'
import { under } from './walk.ts'

const MAX_DEPTH = 40

/**
 * Checks every member of a structure, known or not, for text that PostgreSQL cannot store and for its depth.
 * @returns false when it is nested too deeply to be checked any further
 */
export function checkJson(errors: FieldErrors, json: unknown): boolean {
  const path: (string | number)[] = []
  const here = () => path.reduce<string>(under, '')

  function visit(value: unknown): boolean {
    if (typeof value === 'string') return checkCharacters(value)
    if (typeof value !== 'object' || value === null) return true
    if (path.length >= MAX_DEPTH) {
      errors.add(here(), 'too_deep', { max: MAX_DEPTH })
      return false
    }
    for (const [key, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
      if (typeof key === 'string' && !checkName(key)) continue
      path.push(key)
      const isShallow = visit(member)
      path.pop()
      if (!isShallow) return false
    }
    return true
  }

  function checkName(key: string): boolean {
    if (key !== '__proto__' && isText(key)) return true
    const name = JSON.stringify(key.slice(0, 60)).toWellFormed()
    errors.add(here(), 'invalid_name', {}, `has a member whose name cannot be stored: ${name}`)
    return false
  }

  function checkCharacters(text: string): true {
    if (!isText(text))
      errors.add(here(), 'invalid_characters', {}, 'must not contain U+0000 or half of a surrogate pair')
    return true
  }

  return visit(json)
}

const isText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
