import { detail } from '../error-details.ts'
import { type ConditionContext, checkSubject } from './check-condition.ts'
import { array, type Check, isPresent } from './check-member.ts'
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
import type { FieldErrors } from './field-errors.ts'
import { shapeOf } from './kinds.ts'
import type { QuestionOutline } from './outline.ts'
import { optionOf, settingOf } from './setting.ts'
import { arrayOf, isRecord, under } from './walk.ts'

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_ATTRIBUTE_CHARACTERS

const isValue = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_ATTRIBUTE_CHARACTERS)

/** Checks the attributes of a choice: names with a text, a number, or a list of them. */
export const attributes: Check = (errors, pointer, value) => {
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
