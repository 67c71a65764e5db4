import { parseSender } from '../email-sender.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import { problems } from '../problem.ts'
import { nameError } from './draft.ts'

/** Longer lists are imported as a file. */
const MAX_PEOPLE = 1000
const MAX_ERRORS = 20

/** Somebody as they were typed; without a name where only an address was. */
export interface Pasted {
  name: string
  email: string
}

/**
 * Reads addresses as people have them in their clipboard: on lines or with semicolons or commas between them, each as
 * `ann@example.org`, `Ann Example <ann@example.org>`, or `Ann Example, ann@example.org`. One that is there twice counts once.
 * @param field what the caller gave them in
 * @throws {Problem} `invalid_request` naming each line that cannot be read
 */
export function readPasted(text: string, field: string): Pasted[] {
  const errors: FieldError[] = []
  const people = new Map<string, Pasted>()
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

/** One person, or several with commas between them. */
function readPiece(piece: string): Pasted[] | undefined {
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

function personOf(text: string): Pasted | undefined {
  const found = parseSender(text)
  return found && { name: found.name, email: found.address }
}
