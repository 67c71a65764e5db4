import { typeOf } from '../../questions/index.ts'
import { detail } from '../error-details.ts'
import { type ValueError, valueError } from '../field-error.ts'
import { type ConditionContext, checkCondition } from './check-condition.ts'
import { eachObject } from './check-shape.ts'
import { fieldCountOf } from './cost.ts'
import { ExpressionError, operandsIn, parseExpression } from './expression.ts'
import { reservedKeys } from './meta-fields.ts'
import { additionalKeys, columnKeys, type QuestionOutline } from './outline.ts'
import { authoredSetting, optionOf } from './setting.ts'
import { arrayOf, type FieldErrors, isPresent, type Json, type PageNode, under } from './walk.ts'

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

/** Checks that the expression of a calculation can be read and refers to earlier questions. */
export function checkExpression(
  errors: FieldErrors,
  { source, pointer, position, page }: QuestionOutline,
  { questionsByName, cost, loops }: Pick<ConditionContext, 'questionsByName' | 'cost' | 'loops'>,
): void {
  const option = optionOf(source)
  const at =
    isPresent(option?.expression) || !isPresent(source.expression)
      ? option
        ? `${pointer}/children/0`
        : pointer
      : pointer
  const text = authoredSetting(source, 'expression')
  if (!isPresent(text)) errors.add(`${at}/expression`, 'required')
  if (typeof text !== 'string') return
  try {
    const operands = operandsIn(parseExpression(text))
    const countOf = (name: string | undefined) => {
      const question = name === undefined ? undefined : questionsByName.get(name)
      return question ? fieldCountOf(question, name!) : 1
    }
    cost.addCalculation(
      `${at}/expression`,
      operands.reduce((sum, name) => sum + countOf(name), 0),
    )
    for (const name of new Set(operands.filter((name) => name !== undefined))) {
      const question = questionsByName.get(name)
      if (!question) errors.add(`${at}/expression`, 'unknown_question', { value: name.slice(0, 60).toWellFormed() })
      else if (!typeOf(question.kind)?.fieldType)
        errors.add(`${at}/expression`, 'not_answerable', {}, detail('not_answerable_question'))
      else if (question.position >= position)
        errors.add(`${at}/expression`, 'out_of_reach', {}, detail('earlier_questions', { value: name.slice(0, 60) }))
      else if (loops.isOutside(question, page))
        errors.add(`${at}/expression`, 'out_of_reach', {}, detail('loop_reference'))
    }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    errors.add(`${at}/expression`, 'invalid_expression', {}, error.detail)
  }
}

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

/**
 * Checks the condition and the skips of a page. The condition of the page can refer only to questions of earlier pages.
 * The condition of a skip can also refer to questions of this page. A skip must lead to a later page or to the end of
 * the survey.
 */
export function checkLogic(
  errors: FieldErrors,
  { page, pointer }: PageNode,
  number: number,
  pages: number,
  shared: Pick<ConditionContext, 'questionsByName' | 'cost' | 'loops'>,
): void {
  if (!page) return
  if (isPresent(page.condition)) {
    checkCondition(errors, under(pointer, 'condition'), page.condition, {
      ...shared,
      page: number,
      isReachable: (question) => question.page < number,
      unreachable: detail('earlier_page'),
    })
  }
  const skipContext: ConditionContext = {
    ...shared,
    page: number,
    isReachable: (question) => question.page <= number,
    unreachable: detail('not_later_page'),
  }
  eachObject(errors, `${pointer}/skip`, arrayOf(page.skip), 'type_object', (skip, skipPointer) => {
    if (isPresent(skip.when)) checkCondition(errors, under(skipPointer, 'when'), skip.when, skipContext)
    checkTarget(errors, skipPointer, skip, number, pages)
  })
}

function checkTarget(errors: FieldErrors, pointer: string, { to }: Json, number: number, pages: number): void {
  const toPointer = under(pointer, 'to')
  if (to === 'complete' || to === 'terminate') return
  if (typeof to !== 'number' || !Number.isInteger(to)) errors.add(toPointer, 'invalid_value', {}, detail('skip_target'))
  else if (to < 1 || to > pages) errors.add(toPointer, 'too_large', { max: pages }, detail('skip_page', { max: pages }))
  else if (to <= number) errors.add(toPointer, 'cycle', {}, detail('skip_back', { from: number, to }))
}
