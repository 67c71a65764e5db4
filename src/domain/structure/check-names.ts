import { type ValueError, valueError } from '../field-error.ts'
import { isGiven } from './check-member.ts'
import type { FieldErrors } from './field-errors.ts'
import { reservedKeys } from './meta-fields.ts'
import { columnKeys, furtherKeys, type Outlined } from './outline.ts'
import { under } from './walk.ts'

const MAX_NAME_CHARACTERS = 255

/**
 * Checks that ids and identifiers are valid names and that each name is used once in a survey, as an id, an identifier,
 * the row of a grid (`<id>_<n>`), an other text (`<id>\other`) or the column of a choice (`<id>\<n>`).
 */
export function checkNames(errors: FieldErrors, questions: readonly Outlined[]): void {
  const owners = new Map<string, Outlined>()
  for (const question of questions) {
    const { id, source, pointer } = question
    const place = under(pointer, 'id')
    if (id === undefined) {
      if (isGiven(source.id)) errors.add(place, 'invalid_type', { type: 'a string' })
      continue
    }
    const error = nameError(id)
    if (error) errors.add(place, error.code, error.params, error.message)
    else if (owners.has(id))
      errors.add(place, 'duplicate', { value: id }, `is the id of another question: ${quoted(id)}`)
    else owners.set(id, question)
  }
  for (const question of questions) checkIdentifier(errors, question, owners)
  for (const question of questions) checkFurther(errors, question, owners)
}

function checkIdentifier(errors: FieldErrors, question: Outlined, owners: Map<string, Outlined>): void {
  const { identifier, source, pointer } = question
  const place = under(pointer, 'identifier')
  if (identifier === undefined) {
    if (isGiven(source.identifier)) errors.add(place, 'invalid_type', { type: 'a string' })
    return
  }
  // Editors send an empty text for an empty identifier field.
  if (identifier === '') return
  const error = nameError(identifier)
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(identifier))
    errors.add(place, 'invalid_name', {}, 'must be a letter followed by letters, digits and _')
  else if (error) errors.add(place, error.code, error.params, error.message)
  else if ((owners.get(identifier) ?? question) !== question)
    errors.add(place, 'duplicate', { value: identifier }, `is already taken: ${quoted(identifier)}`)
  else owners.set(identifier, question)
}

function checkFurther(errors: FieldErrors, question: Outlined, owners: Map<string, Outlined>): void {
  const { id, identifier, pointer } = question
  if (id === undefined || owners.get(id) !== question) return
  for (const key of [...furtherKeys(question, id), ...columnKeys(question, id)]) {
    const owner = owners.get(key)
    if (owner) addClash(errors, under(owner.pointer, owner.id === key ? 'id' : 'identifier'), key, id)
    else owners.set(key, question)
  }
  if (!identifier || identifier === id) return
  for (const key of [...furtherKeys(question, identifier), ...columnKeys(question, identifier)]) {
    const owner = owners.get(key)
    if (owner && owner !== question) addClash(errors, under(pointer, 'identifier'), key, owner.id ?? '')
    else owners.set(key, question)
  }
}

function addClash(errors: FieldErrors, pointer: string, key: string, id: string): void {
  errors.add(pointer, 'duplicate', { value: key }, `answers of ${quoted(id)} are also named ${quoted(key)}`)
}

const quoted = (name: string): string =>
  JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name).toWellFormed()

function nameError(name: string): ValueError | undefined {
  if (name.trim() === '') return valueError('blank')
  if (name.length > MAX_NAME_CHARACTERS) return valueError('too_long', { max: MAX_NAME_CHARACTERS })
  return reservedKeys.has(name)
    ? valueError('reserved_name', {}, 'is the name of a metadata field of responses')
    : undefined
}
