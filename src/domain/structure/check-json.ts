import type { FieldErrors } from './field-errors.ts'
import { under } from './walk.ts'

const MAXIMUM_DEPTH = 40

/**
 * What no part of a structure may be, known member or not: nested beyond sense, or text that PostgreSQL cannot store.
 * False when it is too deep to be looked at any further.
 */
export function checkJson(errors: FieldErrors, json: unknown): boolean {
  const path: (string | number)[] = []
  const here = () => path.reduce<string>(under, '')

  function visit(value: unknown): boolean {
    if (typeof value === 'string') return checkCharacters(value)
    if (typeof value !== 'object' || value === null) return true
    if (path.length >= MAXIMUM_DEPTH) {
      errors.add(here(), `is nested deeper than ${MAXIMUM_DEPTH} levels`)
      return false
    }
    for (const [key, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
      if (typeof key === 'string' && !checkName(key)) continue
      path.push(key)
      const goOn = visit(member)
      path.pop()
      if (!goOn) return false
    }
    return true
  }

  function checkName(key: string): boolean {
    if (key !== '__proto__' && isText(key)) return true
    errors.add(here(), `has a member that cannot be stored: ${JSON.stringify(key.slice(0, 60)).toWellFormed()}`)
    return false
  }

  function checkCharacters(text: string): true {
    if (!isText(text)) errors.add(here(), 'holds characters that are no text (NUL, or half of a surrogate pair)')
    return true
  }

  return visit(json)
}

const isText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
