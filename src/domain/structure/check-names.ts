import { isGiven } from './check-member.ts'
import type { FieldErrors } from './field-errors.ts'
import { reservedKeys } from './meta-fields.ts'
import { columnKeys, furtherKeys, type Outlined } from './outline.ts'
import { under } from './walk.ts'

const MAXIMUM_NAME = 255

/**
 * Ids and identifiers: what they may be called, and that no two things of a survey answer to one name, be it an id,
 * an identifier, the row of a grid (`<id>_<n>`), an other text (`<id>\other`) or a choice's column (`<id>\<n>`).
 */
export function checkNames(errors: FieldErrors, questions: readonly Outlined[]): void {
  const owners = new Map<string, Outlined>()
  for (const question of questions) {
    const { id, source, pointer } = question
    const place = under(pointer, 'id')
    if (id === undefined) {
      if (isGiven(source.id)) errors.add(place, 'must be a string')
      continue
    }
    const fieldError = nameFault(id)
    if (fieldError) errors.add(place, fieldError)
    else if (owners.has(id)) errors.add(place, `is the id of another question: ${quoted(id)}`)
    else owners.set(id, question)
  }
  for (const question of questions) checkIdentifier(errors, question, owners)
  for (const question of questions) checkFurther(errors, question, owners)
}

function checkIdentifier(errors: FieldErrors, question: Outlined, owners: Map<string, Outlined>): void {
  const { identifier, source, pointer } = question
  const place = under(pointer, 'identifier')
  if (identifier === undefined) {
    if (isGiven(source.identifier)) errors.add(place, 'must be a string')
    return
  }
  // Editors send an identifier nobody filled in as an empty one.
  if (identifier === '') return
  const fieldError = nameFault(identifier)
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(identifier)) errors.add(place, 'must be a letter, then letters, digits and _')
  else if (fieldError) errors.add(place, fieldError)
  else if ((owners.get(identifier) ?? question) !== question)
    errors.add(place, `is already taken: ${quoted(identifier)}`)
  else owners.set(identifier, question)
}

function checkFurther(errors: FieldErrors, question: Outlined, owners: Map<string, Outlined>): void {
  const { id, identifier, pointer } = question
  if (id === undefined || owners.get(id) !== question) return
  for (const key of [...furtherKeys(question, id), ...columnKeys(question, id)]) {
    const owner = owners.get(key)
    if (owner) errors.add(under(owner.pointer, owner.id === key ? 'id' : 'identifier'), clash(key, id))
    else owners.set(key, question)
  }
  if (!identifier || identifier === id) return
  for (const key of [...furtherKeys(question, identifier), ...columnKeys(question, identifier)]) {
    const owner = owners.get(key)
    if (owner && owner !== question) errors.add(under(pointer, 'identifier'), clash(key, owner.id ?? ''))
    else owners.set(key, question)
  }
}

const clash = (key: string, id: string) => `answers of ${quoted(id)} are named ${quoted(key)} too`

const quoted = (name: string): string =>
  JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name).toWellFormed()

function nameFault(name: string): string | undefined {
  if (name.trim() === '') return 'must not be empty'
  if (name.length > MAXIMUM_NAME) return `must not be longer than ${MAXIMUM_NAME} characters`
  return reservedKeys.has(name) ? 'is the name of a fact about every response' : undefined
}
