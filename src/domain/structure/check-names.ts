import { detail } from '../error-details.ts'
import { type ValueError, valueError } from '../field-error.ts'
import { isPresent } from './check-member.ts'
import type { FieldErrors } from './field-errors.ts'
import { reservedKeys } from './meta-fields.ts'
import { additionalKeys, columnKeys, type QuestionOutline } from './outline.ts'
import { under } from './walk.ts'

const MAX_NAME_CHARACTERS = 255

/**
 * Checks that ids and identifiers are valid and that no name occurs twice in a survey. Names are ids, identifiers, and
 * the keys of grid rows (`<id>_<n>`), of texts of “other” choices (`<id>\other`), of parts of answers (`<id>\<part>`)
 * and of columns of choices (`<id>\<n>`).
 */
export function checkNames(errors: FieldErrors, questions: readonly QuestionOutline[]): void {
  const owners = new Map<string, QuestionOutline>()
  for (const question of questions) {
    const { id, source, pointer } = question
    const namePointer = under(pointer, 'id')
    if (id === undefined) {
      if (isPresent(source.id)) errors.addType(namePointer, 'type_string')
      continue
    }
    const error = nameError(id)
    if (error) errors.add(namePointer, error.code, error.params, error.detail)
    else if (owners.has(id))
      errors.add(namePointer, 'duplicate', { value: id }, detail('duplicate_question_id', { value: quoted(id) }))
    else owners.set(id, question)
  }
  for (const question of questions) checkIdentifier(errors, question, owners)
  for (const question of questions) checkAdditionalKeys(errors, question, owners)
}

function checkIdentifier(errors: FieldErrors, question: QuestionOutline, owners: Map<string, QuestionOutline>): void {
  const { identifier, source, pointer } = question
  const namePointer = under(pointer, 'identifier')
  if (identifier === undefined) {
    if (isPresent(source.identifier)) errors.addType(namePointer, 'type_string')
    return
  }
  // Some editors send '' if the identifier field is empty.
  if (identifier === '') return
  const error = nameError(identifier)
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(identifier))
    errors.add(namePointer, 'invalid_name', {}, detail('identifier_characters'))
  else if (error) errors.add(namePointer, error.code, error.params, error.detail)
  else if ((owners.get(identifier) ?? question) !== question)
    errors.add(
      namePointer,
      'duplicate',
      { value: identifier },
      detail('duplicate_identifier', { value: quoted(identifier) }),
    )
  else owners.set(identifier, question)
}

function checkAdditionalKeys(
  errors: FieldErrors,
  question: QuestionOutline,
  owners: Map<string, QuestionOutline>,
): void {
  const { id, identifier, pointer } = question
  if (id === undefined || owners.get(id) !== question) return
  for (const key of [...additionalKeys(question, id), ...columnKeys(question, id)]) {
    const owner = owners.get(key)
    if (owner) addConflict(errors, under(owner.pointer, owner.id === key ? 'id' : 'identifier'), key, id)
    else owners.set(key, question)
  }
  if (!identifier || identifier === id) return
  for (const key of [...additionalKeys(question, identifier), ...columnKeys(question, identifier)]) {
    const owner = owners.get(key)
    if (owner && owner !== question) addConflict(errors, under(pointer, 'identifier'), key, owner.id ?? '')
    else owners.set(key, question)
  }
}

function addConflict(errors: FieldErrors, pointer: string, key: string, id: string): void {
  errors.add(
    pointer,
    'duplicate',
    { value: key },
    detail('conflicting_keys', { other: quoted(id), value: quoted(key) }),
  )
}

const quoted = (name: string): string =>
  JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name).toWellFormed()

function nameError(name: string): ValueError | undefined {
  if (name.trim() === '') return valueError('blank')
  if (name.length > MAX_NAME_CHARACTERS) return valueError('too_long', { max: MAX_NAME_CHARACTERS })
  // Clients and proxies remove these segments from addresses, also if they are encoded (RFC 3986, 5.2.4).
  if (/^\.{1,2}$/.test(name)) return valueError('invalid_name', {}, detail('dots'))
  return reservedKeys.has(name) ? valueError('reserved_name', {}, detail('metadata_name')) : undefined
}
