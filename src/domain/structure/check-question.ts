import { detail } from '../error-details.ts'
import { type ConditionContext, checkSubject } from './check-condition.ts'
import {
  array,
  between,
  boolean,
  type Check,
  checkItems,
  checkMembers,
  checkRange,
  code,
  count,
  isPresent,
  number,
  oneOf,
  score,
  string,
  text,
  uid,
} from './check-member.ts'
import {
  attributeValues,
  FILTERED_KINDS,
  isFiltering,
  MAX_ATTRIBUTE_CHARACTERS,
  MAX_ATTRIBUTE_VALUES,
  MAX_ATTRIBUTES,
  MAX_FILTERS,
} from './choice-attributes.ts'
import { fieldCountOf } from './cost.ts'
import { checkDependentSettings, settingChecks } from './kind-settings.ts'
import { type KindShape, type KnownKind, optionTypes, shapeOf } from './kinds.ts'
import type { QuestionOutline } from './outline.ts'
import { validationKinds } from './text-validation.ts'
import { arrayOf, type FieldErrors, isRecord, type Json, optionOf, settingOf, under } from './walk.ts'

/** Maximum number of choices of a question, or of rows of a grid. */
export const MAX_CHOICES = 1000
/** Maximum number of visible lines of a text box. */
export const MAX_LINES = 50

const validation: Check = (errors, pointer, value) => {
  if (!isRecord(value)) {
    errors.addType(pointer, 'type_object')
    return
  }
  checkMembers(errors, pointer, value, {
    kind: oneOf(validationKinds),
    min: number,
    max: number,
    minLength: count,
    maxLength: count,
    message: text,
  })
  checkRange(errors, pointer, value, 'min', 'max')
  checkRange(errors, pointer, value, 'minLength', 'maxLength')
}

const choices: Check = (errors, pointer, value) => {
  if (!Array.isArray(value)) {
    errors.addType(pointer, 'type_choices')
    return
  }
  if (value.length > MAX_CHOICES) {
    errors.add(pointer, 'too_many', { max: MAX_CHOICES }, detail('too_many_choices', { max: MAX_CHOICES }))
    return
  }
  for (const [index, choice] of value.entries()) {
    const choicePointer = under(pointer, index)
    if (!isRecord(choice)) {
      errors.addType(choicePointer, 'type_choice')
      continue
    }
    if (!isPresent(choice.label)) errors.add(under(choicePointer, 'label'), 'required')
    checkMembers(errors, choicePointer, choice, {
      label: text,
      score,
      other: boolean,
      exclusive: boolean,
      attributes,
      code,
      uid,
    })
  }
  checkItems(errors, pointer, value)
}

const scalar: Check = (errors, pointer, value) => {
  if (!['string', 'number', 'boolean'].includes(typeof value)) errors.addType(pointer, 'type_string')
}

/** Settings of an option object. In the short form they are members of the question. */
const settings: Readonly<Record<string, Check>> = {
  required: boolean,
  randomize: boolean,
  choices,
  validation,
  lines: between(1, MAX_LINES),
  minSelected: count,
  maxSelected: count,
  format: oneOf(['datetime', 'date', 'time']),
  default: scalar,
  leftLabel: text,
  rightLabel: text,
  categories: array,
}

/**
 * Checks a question except its names and its condition. For an unknown type, checks only the members that all types
 * have.
 */
export function checkQuestion(errors: FieldErrors, { source, kind, pointer }: QuestionOutline): void {
  checkMembers(errors, pointer, source, {
    type: string,
    title: text,
    description: text,
    width: number,
    children: array,
  })
  if (typeof source.idname !== 'string' || source.idname.trim() === '') {
    errors.add(under(pointer, 'idname'), 'required')
  }
  const shape = shapeOf(kind)
  if (!shape?.optionType) return
  const checks = { ...settings, ...settingChecks(kind as KnownKind) }
  checkMembers(errors, pointer, source, checks)
  checkChildren(errors, pointer, source, shape, checks)
  checkDependentSettings(errors, kind as KnownKind, source, (name) => settingPointer(pointer, source, name))
  checkChoices(errors, pointer, source, shape)
  if (kind === 'boolean-choice') checkBoolean(errors, pointer, source)
}

function checkChildren(
  errors: FieldErrors,
  pointer: string,
  source: Json,
  shape: KindShape,
  checks: Readonly<Record<string, Check>>,
): void {
  const children = arrayOf(source.children)
  const childrenPointer = under(pointer, 'children')
  if (shape.grid && children.length === 0) errors.add(childrenPointer, 'too_few', { min: 1 }, detail('row_required'))
  if (children.length > MAX_CHOICES) {
    errors.add(childrenPointer, 'too_many', { max: MAX_CHOICES })
    return
  }
  if (shape.grid) checkItems(errors, childrenPointer, children)
  for (const [index, child] of children.entries()) {
    const childPointer = under(childrenPointer, index)
    if (!isRecord(child)) {
      errors.addType(childPointer, 'type_object')
      continue
    }
    checkMembers(
      errors,
      childPointer,
      child,
      shape.grid ? { type: string, label: text, required: boolean, code, uid } : { type: string, ...checks },
    )
    if (typeof child.type === 'string' && !optionTypes(shape).includes(child.type)) {
      errors.add(
        under(childPointer, 'type'),
        'invalid_value',
        {},
        detail('option_type', { value: String(shape.optionType), idname: String(source.idname) }),
      )
    }
  }
}

/**
 * Returns the JSON pointer of a setting. The setting is a member of the option object if the option object has it,
 * otherwise of the question.
 */
const settingPointer = (pointer: string, source: Json, member: string): string =>
  isPresent(optionOf(source)?.[member]) ? `${pointer}/children/0/${member}` : under(pointer, member)

function checkChoices(errors: FieldErrors, pointer: string, source: Json, shape: KindShape): void {
  const choices = shape.grid ? source.choices : settingOf(source, 'choices')
  const choicesPointer = shape.grid || !optionOf(source) ? under(pointer, 'choices') : `${pointer}/children/0/choices`
  if (shape.choices && arrayOf(choices).length === 0 && (!isPresent(choices) || Array.isArray(choices))) {
    errors.add(choicesPointer, 'too_few', { min: 1 }, detail('choices_for_type', { idname: String(source.idname) }))
  }
  if (!shape.choices || shape.grid) return
  const [minSelected, maxSelected] = [settingOf(source, 'minSelected'), settingOf(source, 'maxSelected')]
  if (maxSelected === 0) errors.add(settingPointer(pointer, source, 'maxSelected'), 'too_small', { min: 1 })
  if (typeof minSelected !== 'number') return
  const minPointer = settingPointer(pointer, source, 'minSelected')
  if (typeof maxSelected === 'number' && minSelected > maxSelected)
    errors.add(minPointer, 'too_large', { max: maxSelected }, detail('above_member', { member: 'maxSelected' }))
  const count = arrayOf(choices).length
  if (minSelected > count) errors.add(minPointer, 'too_large', { max: count }, detail('above_choices'))
}

function checkBoolean(errors: FieldErrors, pointer: string, source: Json): void {
  const count = arrayOf(settingOf(source, 'choices')).length
  if (count !== 0 && count !== 2)
    errors.add(settingPointer(pointer, source, 'choices'), 'invalid_structure', {}, detail('choices_of_yes_no'))
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_ATTRIBUTE_CHARACTERS

const isValue = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_ATTRIBUTE_CHARACTERS)

/** Checks the attributes of a choice: names with a text, a number, or a list of them. */
const attributes: Check = (errors, pointer, value) => {
  if (!isRecord(value)) {
    errors.addType(pointer, 'type_object')
    return
  }
  const names = Object.keys(value)
  if (names.length > MAX_ATTRIBUTES) errors.add(pointer, 'too_many', { max: MAX_ATTRIBUTES })
  for (const name of names) {
    const values = [value[name]].flat()
    const at = under(pointer, name)
    if (!isName(name)) errors.add(at, 'invalid_name', {}, detail('attribute_name', { max: MAX_ATTRIBUTE_CHARACTERS }))
    else if (values.length > MAX_ATTRIBUTE_VALUES) errors.add(at, 'too_many', { max: MAX_ATTRIBUTE_VALUES })
    else if (isPresent(value[name]) && !values.every(isValue))
      errors.addType(at, 'type_attribute', { max: MAX_ATTRIBUTE_CHARACTERS })
  }
}

/**
 * Checks that the questions that filter the choices of a question are earlier ones, and that a choice has the attribute
 * of each filter. Adds what the filters cost.
 */
export function checkChoiceFilter(
  errors: FieldErrors,
  question: QuestionOutline,
  shared: Pick<ConditionContext, 'questionsByName' | 'cost'>,
): void {
  const { source, kind, position } = question
  const filters = settingOf(source, 'choiceFilter')
  if (!isPresent(filters)) return
  const isOnOption = isPresent(optionOf(source)?.choiceFilter)
  const pointer = `${question.pointer}${isOnOption ? '/children/0' : ''}/choiceFilter`
  if (!FILTERED_KINDS.has(kind)) {
    errors.add(pointer, 'not_allowed', {}, detail('filtered_kinds', { value: [...FILTERED_KINDS].join(', ') }))
    return
  }
  if (!Array.isArray(filters)) {
    array(errors, pointer, filters)
    return
  }
  if (filters.length > MAX_FILTERS) {
    errors.add(pointer, 'too_many', { max: MAX_FILTERS })
    return
  }
  const choices = arrayOf(settingOf(source, 'choices')).filter(isRecord)
  for (const [index, filter] of filters.entries()) {
    const at = under(pointer, index)
    if (!isRecord(filter)) {
      errors.addType(at, 'type_object')
      continue
    }
    const subject = checkSubject(errors, under(at, 'question'), filter.question, {
      ...shared,
      isReachable: (earlier) => earlier.position < position,
      unreachable: undefined,
    })
    if (subject && shapeOf(subject.kind)?.fieldType && !isFiltering(subject.kind))
      errors.add(under(at, 'question'), 'not_answerable', {}, detail('never_filtering'))
    const { attribute } = filter
    if (!isName(attribute)) {
      errors.addType(under(at, 'attribute'), 'type_string_up_to', { max: MAX_ATTRIBUTE_CHARACTERS })
      continue
    }
    const values = choices.map((choice) => attributeValues(choice, attribute))
    if (values.every((one) => one === undefined))
      errors.add(under(at, 'attribute'), 'invalid_value', {}, detail('unknown_attribute', { value: attribute }))
    const comparisons = values.reduce((sum, one) => sum + Math.max(1, one?.length ?? 1), 0)
    shared.cost.addFilter(at, comparisons + (subject ? fieldCountOf(subject, String(filter.question)) : 0))
  }
}
