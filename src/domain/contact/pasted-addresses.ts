import { parseSender } from '../email-sender.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import { problems } from '../problem.ts'
import { nameError } from './draft.ts'

/** Maximum number of pasted addresses; longer lists are imported as a file. */
const MAX_PEOPLE = 1000
const MAX_ERRORS = 20

/** A pasted person; the name is absent for a bare address. */
export interface PastedAddress {
  name: string
  email: string
}

/**
 * Parses pasted addresses, separated by line breaks, semicolons or commas. Each is `ann@example.org`, `Ann Example
 * <ann@example.org>` or `Ann Example, ann@example.org`; duplicates count once.
 * @param field the form field, for errors
 * @throws {Problem} `invalid_request` naming each invalid line
 */
export function parsePastedAddresses(text: string, field: string): PastedAddress[] {
  const errors: FieldError[] = []
  const people = new Map<string, PastedAddress>()
  for (const [at, line] of text.split(/\r\n?|\n/).entries()) {
    for (const piece of line.split(';').map((one) => one.trim())) {
      if (!piece) continue
      const found = readPiece(piece)
      if (!found)
        errors.push(
          fieldError(field, 'invalid_email', {}, `line ${at + 1}: “${piece.slice(0, 80)}” is not an email address`),
        )
      for (const one of found ?? []) {
        const wrong = one.name && nameError(one.name)
        if (wrong) errors.push({ ...wrong, field, message: `line ${at + 1}: the name ${wrong.message}` })
        const known = people.get(one.email.toLowerCase())
        if (!known?.name) people.set(one.email.toLowerCase(), one)
      }
    }
  }
  if (errors.length) throw problems.invalid(errors.slice(0, MAX_ERRORS))
  if (!people.size) throw problems.invalidField(field, 'too_few', { min: 1 }, 'must have at least one address')
  if (people.size > MAX_PEOPLE)
    throw problems.invalidField(
      field,
      'too_many',
      { max: MAX_PEOPLE },
      `must have at most ${MAX_PEOPLE} addresses; import a file instead`,
    )
  return [...people.values()]
}

/** Parses one person, or several separated by commas. */
function readPiece(piece: string): PastedAddress[] | undefined {
  const parts = piece
    .split(/[,\t]/)
    .map((part) => part.trim())
    .filter(Boolean)
  const each = parts.map(personOf)
  if (each.every((one) => one !== undefined)) return each
  const [first, second, ...more] = parts
  const pair = !more.length && second ? personOf(second) : undefined
  if (pair && !pair.name) return [{ name: first!, email: pair.email }]
  const whole = personOf(piece)
  return whole && [whole]
}

function personOf(text: string): PastedAddress | undefined {
  const found = parseSender(text)
  return found && { name: found.name, email: found.address }
}
