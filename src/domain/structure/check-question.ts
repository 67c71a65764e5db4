import { filteredKinds, isFiltering, settingSchemas, typeOf } from '../../questions/index.ts'
import type { QuestionType } from '../../questions/question-type.ts'
import { MAX_CHOICES, MAX_FILTERS } from '../../questions/settings.ts'
import { detail } from '../error-details.ts'
import { type ConditionContext, checkSubject } from './check-condition.ts'
import { type Checks, checkItems, checkMembers, checkOf, checksOf, eachObject, text } from './check-shape.ts'
import { attributeValues } from './choice-attributes.ts'
import { isImageUrl } from './choice-image.ts'
import { fieldCountOf } from './cost.ts'
import { CHECK, type Check, type Schema } from './json-schema.ts'
import type { QuestionOutline } from './outline.ts'
import { structureSchema } from './schema.ts'
import { authoredSetting, optionOf } from './setting.ts'
import { isAttributeName, MAX_ATTRIBUTE_CHARACTERS } from './setting-schemas.ts'
import { arrayOf, type FieldErrors, isPresent, isRecord, type Json, membersOf, recordsIn, under } from './walk.ts'

/** The members of questions of every type, of rows, and of choices. */
const { OtherQuestion, StructureChoice } = structureSchema.$defs as Record<string, Schema>
const commonChecks = checksOf(OtherQuestion!.properties!, ['type', 'title', 'description', 'width', 'children'])
const typeChecks = commonChecks.slice(0, 1)
const rowMembers = { ...StructureChoice!.properties!, required: settingSchemas.required! }
const rowChecks = [...typeChecks, ...checksOf(rowMembers, ['label', 'required', 'code', 'uid'])]

const choices: Check = (errors, pointer, value) => {
  if (!Array.isArray(value)) {
    errors.addType(pointer, 'type_choices')
    return
  }
  if (value.length > MAX_CHOICES) {
    errors.add(pointer, 'too_many', { max: MAX_CHOICES }, detail('too_many_choices', { max: MAX_CHOICES }))
    return
  }
  const check = checkOf(StructureChoice!)
  for (const [index, choice] of value.entries()) check(errors, under(pointer, index), choice)
  checkItems(errors, pointer, value)
}

/** Settings that are checked in questions of every type, because older versions of Canvass did. */
const SHARED_SETTINGS = [
  ...['required', 'randomize', 'choices', 'validation', 'lines', 'minSelected', 'maxSelected', 'format', 'default'],
  ...['leftLabel', 'rightLabel', 'categories'],
]
/** Settings whose values are checked with the whole question, or not at all. */
const CHECKED_ELSEWHERE = ['choiceFilter', 'appearance']

const sharedSchemas = { ...settingSchemas, choices: { [CHECK]: choices }, categories: { type: 'array' } }
const sharedChecks = checksOf(sharedSchemas, SHARED_SETTINGS)
const checksByType = new WeakMap<QuestionType, Checks>()

/** Returns the checks of the option object of a question type. In the short form, the question has its settings. */
function settingChecks(type: QuestionType): Checks {
  const cached = checksByType.get(type)
  if (cached) return cached
  const own = Object.keys(type.settings).filter((name) => ![...SHARED_SETTINGS, ...CHECKED_ELSEWHERE].includes(name))
  const checks = [...sharedChecks, ...checksOf(type.settings, own)]
  checksByType.set(type, checks)
  return checks
}

/**
 * Checks a question except its names and its condition. For an unknown type, checks only the members that all types
 * have.
 */
export function checkQuestion(errors: FieldErrors, { source, kind, pointer }: QuestionOutline): void {
  checkMembers(errors, pointer, source, commonChecks)
  if (typeof source.idname !== 'string' || source.idname.trim() === '') {
    errors.add(under(pointer, 'idname'), 'required')
  }
  const type = typeOf(kind)
  if (!type || type.optionTypes.length === 0) return
  const checks = settingChecks(type)
  checkMembers(errors, pointer, source, checks)
  checkChildren(errors, pointer, source, type, checks)
  const setting = (name: string) => authoredSetting(source, name)
  const pointerOf = (name: string) => settingPointer(pointer, source, name)
  if (type.withImages) checkImages(errors, pointerOf('choices'), setting('choices'))
  type.checkSettings?.({ errors, setting, pointerOf })
  checkChoices(errors, pointer, source, type)
}

function checkChildren(errors: FieldErrors, pointer: string, source: Json, shape: QuestionType, checks: Checks): void {
  const children = arrayOf(source.children)
  const childrenPointer = under(pointer, 'children')
  if (shape.grid && children.length === 0) errors.add(childrenPointer, 'too_few', { min: 1 }, detail('row_required'))
  if (children.length > MAX_CHOICES) {
    errors.add(childrenPointer, 'too_many', { max: MAX_CHOICES })
    return
  }
  if (shape.grid) checkItems(errors, childrenPointer, children)
  eachObject(errors, childrenPointer, children, 'type_object', (child, childPointer) => {
    checkMembers(errors, childPointer, child, shape.grid ? rowChecks : typeChecks)
    if (!shape.grid) checkMembers(errors, childPointer, child, checks)
    if (typeof child.type === 'string' && !shape.optionTypes.includes(child.type)) {
      errors.add(
        under(childPointer, 'type'),
        'invalid_value',
        {},
        detail('option_type', { value: String(shape.optionTypes[0]), idname: String(source.idname) }),
      )
    }
  })
}

/**
 * Returns the JSON pointer of a setting. The setting is a member of the option object if the option object has it,
 * otherwise of the question.
 */
const settingPointer = (pointer: string, source: Json, member: string): string =>
  isPresent(optionOf(source)?.[member]) ? `${pointer}/children/0/${member}` : under(pointer, member)

function checkChoices(errors: FieldErrors, pointer: string, source: Json, shape: QuestionType): void {
  const choices = shape.grid ? source.choices : authoredSetting(source, 'choices')
  const choicesPointer = shape.grid || !optionOf(source) ? under(pointer, 'choices') : `${pointer}/children/0/choices`
  if (shape.choices && arrayOf(choices).length === 0 && (!isPresent(choices) || Array.isArray(choices))) {
    errors.add(choicesPointer, 'too_few', { min: 1 }, detail('choices_for_type', { idname: String(source.idname) }))
  }
  if (!shape.choices || shape.grid) return
  const [minSelected, maxSelected] = [authoredSetting(source, 'minSelected'), authoredSetting(source, 'maxSelected')]
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
    const { image } = membersOf(choice)
    if (!isPresent(image)) continue
    const at = `${pointer}/${index}/image`
    if (!isRecord(image)) {
      errors.addType(at, 'type_image')
      continue
    }
    if (!isImageUrl(image.url)) errors.add(under(at, 'url'), 'invalid_url', {}, detail('https_url'))
    if (isBlank(image.alt)) errors.add(under(at, 'alt'), 'required', {}, detail('alt_required'))
    else text(errors, under(at, 'alt'), image.alt)
  }
}

/**
 * Checks that the questions that filter the choices of a question are earlier ones, and that a choice has the attribute
 * of each filter. Adds what the filters cost.
 */
export function checkChoiceFilter(
  errors: FieldErrors,
  question: QuestionOutline,
  shared: Pick<ConditionContext, 'questionsByName' | 'cost' | 'loops'>,
): void {
  const { source, kind, position } = question
  const filters = authoredSetting(source, 'choiceFilter')
  if (!isPresent(filters)) return
  const isOnOption = isPresent(optionOf(source)?.choiceFilter)
  const pointer = `${question.pointer}${isOnOption ? '/children/0' : ''}/choiceFilter`
  if (!filteredKinds.has(kind)) {
    errors.add(pointer, 'not_allowed', {}, detail('filtered_kinds', { value: [...filteredKinds].join(', ') }))
    return
  }
  if (!Array.isArray(filters)) {
    errors.addType(pointer, 'type_array')
    return
  }
  if (filters.length > MAX_FILTERS) {
    errors.add(pointer, 'too_many', { max: MAX_FILTERS })
    return
  }
  const choices = recordsIn(authoredSetting(source, 'choices'))
  eachObject(errors, pointer, filters, 'type_object', (filter, at) => {
    const subject = checkSubject(errors, under(at, 'question'), filter.question, {
      ...shared,
      page: question.page,
      isReachable: (earlier) => earlier.position < position,
      unreachable: undefined,
    })
    if (subject && typeOf(subject.kind)?.fieldType && !isFiltering(subject.kind))
      errors.add(under(at, 'question'), 'not_answerable', {}, detail('never_filtering'))
    const { attribute } = filter
    if (!isAttributeName(attribute)) {
      errors.addType(under(at, 'attribute'), 'type_string_up_to', { max: MAX_ATTRIBUTE_CHARACTERS })
      return
    }
    const values = choices.map((choice) => attributeValues(choice, attribute))
    if (values.every((one) => one === undefined))
      errors.add(under(at, 'attribute'), 'invalid_value', {}, detail('unknown_attribute', { value: attribute }))
    const comparisons = values.reduce((sum, one) => sum + Math.max(1, one?.length ?? 1), 0)
    shared.cost.addFilter(at, comparisons + (subject ? fieldCountOf(subject, String(filter.question)) : 0))
  })
}
