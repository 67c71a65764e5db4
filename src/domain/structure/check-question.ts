import { filteredKinds, isFiltering, typeOf } from '../../questions/index.ts'
import type { QuestionType } from '../../questions/question-type.ts'
import { MAX_CHOICES, MAX_FILTERS, MAX_LINES } from '../../questions/settings.ts'
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
  listOf,
  number,
  numbers,
  oneOf,
  range,
  score,
  string,
  text,
  uid,
  upTo,
} from './check-member.ts'
import { attributeValues, MAX_ATTRIBUTE_CHARACTERS, MAX_ATTRIBUTE_VALUES, MAX_ATTRIBUTES } from './choice-attributes.ts'
import { isImageUrl } from './choice-image.ts'
import { fieldCountOf } from './cost.ts'
import { DAY_LIMIT, isDayLimit } from './day-limit.ts'
import type { Schema } from './json-schema.ts'
import type { QuestionOutline } from './outline.ts'
import { optionOf, settingOf } from './setting.ts'
import { validationKinds } from './text-validation.ts'
import { arrayOf, type FieldErrors, isPresent, isRecord, type Json, under } from './walk.ts'

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
  const type = typeOf(kind)
  if (!type || type.optionTypes.length === 0) return
  const checks = checksOf(type)
  checkMembers(errors, pointer, source, checks)
  checkChildren(errors, pointer, source, type, checks)
  const setting = (name: string) => settingOf(source, name)
  const pointerOf = (name: string) => settingPointer(pointer, source, name)
  if (type.withImages) checkImages(errors, pointerOf('choices'), setting('choices'))
  type.checkSettings?.({ errors, setting, pointerOf })
  checkChoices(errors, pointer, source, type)
}

/** Settings whose values are checked with the whole question, or not at all. */
const CHECKED_ELSEWHERE: ReadonlySet<string> = new Set(['choiceFilter', 'appearance'])

const checksByType = new WeakMap<QuestionType, Readonly<Record<string, Check>>>()

/** Returns the check of each setting of a question type. Settings of other types are checked too. */
function checksOf(type: QuestionType): Readonly<Record<string, Check>> {
  const cached = checksByType.get(type)
  if (cached) return cached
  const own = Object.entries(type.settings)
    .filter(([name]) => !Object.hasOwn(settings, name) && !CHECKED_ELSEWHERE.has(name))
    .map(([name, schema]) => [name, checkOf(schema)] as const)
  const checks = { ...settings, ...Object.fromEntries(own) }
  checksByType.set(type, checks)
  return checks
}

/** Returns the function that checks a setting with the given schema. */
function checkOf({ $ref, type, pattern, minimum, maximum, maxLength, items, maxItems }: Schema): Check {
  if ($ref) return text
  if (pattern === DAY_LIMIT) return dayLimit
  if (type === 'boolean') return boolean
  if (type === 'array' && items?.enum) return listOf(items.enum as string[])
  if (type === 'array') return numbers(maxItems!, items!.minimum!, items!.maximum!)
  if (type === 'string') return upTo(maxLength!)
  if (type === 'integer') return between(minimum!, maximum!)
  return minimum === undefined ? number : range(minimum, maximum!)
}

/** Checks the first or last day of a date question. */
const dayLimit: Check = (errors, pointer, value) => {
  if (typeof value !== 'string') errors.addType(pointer, 'type_string')
  else if (!isDayLimit(value)) errors.add(pointer, 'invalid_format', {}, detail('day_limit'))
}

function checkChildren(
  errors: FieldErrors,
  pointer: string,
  source: Json,
  shape: QuestionType,
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
    if (typeof child.type === 'string' && !shape.optionTypes.includes(child.type)) {
      errors.add(
        under(childPointer, 'type'),
        'invalid_value',
        {},
        detail('option_type', { value: String(shape.optionTypes[0]), idname: String(source.idname) }),
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

function checkChoices(errors: FieldErrors, pointer: string, source: Json, shape: QuestionType): void {
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

const isBlank = (alt: unknown): boolean =>
  isRecord(alt) ? Object.values(alt).every(isBlank) : typeof alt === 'string' ? alt.trim() === '' : !isPresent(alt)

/** Checks the images of choices. */
function checkImages(errors: FieldErrors, pointer: string, choices: unknown): void {
  for (const [index, choice] of arrayOf(choices).entries()) {
    if (!isRecord(choice) || !isPresent(choice.image)) continue
    const at = `${pointer}/${index}/image`
    const { image } = choice
    if (!isRecord(image)) {
      errors.addType(at, 'type_image')
      continue
    }
    if (!isImageUrl(image.url)) errors.add(under(at, 'url'), 'invalid_url', {}, detail('https_url'))
    if (isBlank(image.alt)) errors.add(under(at, 'alt'), 'required', {}, detail('alt_required'))
    else text(errors, under(at, 'alt'), image.alt)
  }
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
  if (!filteredKinds.has(kind)) {
    errors.add(pointer, 'not_allowed', {}, detail('filtered_kinds', { value: [...filteredKinds].join(', ') }))
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
    if (subject && typeOf(subject.kind)?.fieldType && !isFiltering(subject.kind))
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
