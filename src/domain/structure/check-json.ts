import { detail } from '../error-details.ts'
import type { FieldErrors } from './field-errors.ts'
import { under } from './walk.ts'

const MAX_DEPTH = 40

/**
 * Checks the nesting depth of a structure, and all its names and texts for characters that PostgreSQL cannot store.
 * @returns false if the structure is nested too deeply; further checks are then skipped
 */
export function checkJson(errors: FieldErrors, json: unknown): boolean {
  const path: (string | number)[] = []
  const pointer = () => path.reduce<string>(under, '')

  function visit(value: unknown): boolean {
    if (typeof value === 'string') return checkCharacters(value)
    if (typeof value !== 'object' || value === null) return true
    if (path.length >= MAX_DEPTH) {
      errors.add(pointer(), 'too_deep', { max: MAX_DEPTH })
      return false
    }
    for (const [key, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
      if (typeof key === 'string' && !checkName(key)) continue
      path.push(key)
      const isWithinDepth = visit(member)
      path.pop()
      if (!isWithinDepth) return false
    }
    return true
  }

  function checkName(key: string): boolean {
    if (key !== '__proto__' && isText(key)) return true
    const name = JSON.stringify(key.slice(0, 60)).toWellFormed()
    errors.add(pointer(), 'invalid_name', {}, detail('unstorable_name', { value: name }))
    return false
  }

  function checkCharacters(text: string): true {
    if (!isText(text)) errors.add(pointer(), 'invalid_characters', {}, detail('surrogates'))
    return true
  }

  return visit(json)
}

const isText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
