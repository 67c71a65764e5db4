import { typeOf } from '../../questions/index.ts'
import { detail } from '../error-details.ts'
import type { FieldError } from '../field-error.ts'
import { type ConditionContext, checkCondition, indexByName } from './check-condition.ts'
import { array, boolean, checkMembers, isLanguageCode, oneOf, string, text } from './check-member.ts'
import { checkExpression, checkForm, checkJson, checkLogic, checkNames } from './check-names.ts'
import { checkPageSizes } from './check-page-size.ts'
import { checkChoiceFilter, checkQuestion } from './check-question.ts'
import { StructureCost } from './cost.ts'
import { outline } from './outline.ts'
import { arrayOf, FieldErrors, isPresent, isRecord, type Json, pageNodes, under } from './walk.ts'

const MAX_QUESTIONS = 5000
const MAX_LANGUAGES = 200

/**
 * Returns the errors of an authored structure, at most a hundred. `field` of each is a JSON pointer (RFC 6901), '' for
 * the whole structure. Unknown members and unknown question types are stored and are not errors.
 */
export function checkStructure(json: unknown): FieldError[] {
  const errors = new FieldErrors()
  if (!isRecord(json)) errors.addType('', 'type_structure')
  else if (checkJson(errors, json)) checkMembersOf(errors, json)
  return errors.list
}

function checkMembersOf(errors: FieldErrors, structure: Json): void {
  checkTop(errors, structure)
  checkLanguages(errors, arrayOf(structure.languages))
  const pages = pageNodes(structure.form)
  const questionCount = pages.reduce((sum, { questions }) => sum + questions.length, 0)
  if (questionCount > MAX_QUESTIONS || pages.length > MAX_QUESTIONS) {
    errors.add('/form', 'too_many', { max: MAX_QUESTIONS }, detail('too_many_pages', { max: MAX_QUESTIONS }))
    return
  }
  checkForm(errors, structure.form)
  const questions = outline(pages)
  const shared = { questionsByName: indexByName(questions), cost: new StructureCost(errors) }
  checkNames(errors, questions)
  checkPageSizes(errors, structure, pages)
  for (const question of questions) {
    checkQuestion(errors, question)
    if (typeOf(question.kind)?.answeredBy === 'calculation') checkExpression(errors, question, shared)
    checkChoiceFilter(errors, question, shared)
    const { condition } = question.source
    if (!isPresent(condition)) continue
    checkCondition(errors, under(question.pointer, 'condition'), condition, {
      ...shared,
      isReachable: ({ position }) => position < question.position,
      unreachable: undefined,
    })
  }
  for (const [index, page] of pages.entries()) checkLogic(errors, page, index + 1, pages.length, shared)
  checkQuotas(errors, arrayOf(structure.quotas), shared)
}

function checkTop(errors: FieldErrors, structure: Json): void {
  const { title } = structure
  const texts = typeof title === 'string' ? [title] : isRecord(title) ? Object.values(title) : []
  if (!isPresent(title)) errors.add('/title', 'required')
  else text(errors, '/title', title)
  if (texts.length > 0 || isRecord(title)) {
    if (texts.every((text) => typeof text === 'string' && text.trim() === '')) errors.add('/title', 'blank')
  }
  checkMembers(errors, '', structure, {
    description: text,
    form: array,
    uniques: array,
    firstPageTitleDescription: boolean,
    languageDisplayStyle: string,
    quotas: array,
    languages: array,
    jumping: boolean,
    showBranchingInfo: boolean,
  })
}

/** Checks the languages of a structure, or the languages in a request to `languages/`. */
export function checkLanguages(errors: FieldErrors, languages: readonly unknown[], pointer = '/languages'): void {
  const codes = new Set<unknown>()
  let defaults = 0
  if (languages.length > MAX_LANGUAGES) {
    errors.add(pointer, 'too_many', { max: MAX_LANGUAGES })
    return
  }
  for (const [index, language] of languages.entries()) {
    const languagePointer = under(pointer, index)
    if (!isRecord(language)) {
      errors.addType(languagePointer, 'type_language')
      continue
    }
    const { code } = language
    if (!isLanguageCode(code)) errors.add(under(languagePointer, 'code'), 'invalid_format', {}, detail('language_code'))
    else if (codes.has(code))
      errors.add(
        under(languagePointer, 'code'),
        'duplicate',
        { value: String(code) },
        detail('duplicate_code', { value: String(code) }),
      )
    codes.add(code)
    checkMembers(errors, languagePointer, language, { name: string, isDefault: boolean })
    if (language.isDefault === true) defaults++
  }
  // If no language has `isDefault: true`, the first one is the default. This is an error only if all languages have
  // `isDefault: false`.
  const hasNoDefault =
    languages.length > 0 && languages.every((language) => isRecord(language) && language.isDefault === false)
  if (defaults > 1 || hasNoDefault) errors.add(pointer, 'invalid_structure', {}, detail('one_default_language'))
}

function checkQuotas(
  errors: FieldErrors,
  quotas: readonly unknown[],
  shared: Pick<ConditionContext, 'questionsByName' | 'cost'>,
): void {
  const names = new Set<unknown>()
  for (const [index, quota] of quotas.entries()) {
    const pointer = `/quotas/${index}`
    if (!isRecord(quota)) {
      errors.addType(pointer, 'type_object')
      continue
    }
    const { name, limit } = quota
    if (typeof name !== 'string' || name.trim() === '') errors.add(`${pointer}/name`, 'blank')
    else if (names.has(name)) errors.add(`${pointer}/name`, 'duplicate', { value: name }, detail('duplicate_quota'))
    names.add(name)
    if (!Number.isSafeInteger(limit) || Number(limit) < 1)
      errors.add(`${pointer}/limit`, 'too_small', { min: 1 }, detail('positive_integer'))
    oneOf(['complete', 'terminate', 'close'])(errors, `${pointer}/action`, quota.action)
    checkMembers(errors, pointer, quota, { message: text })
    if (isPresent(quota.when))
      checkCondition(errors, `${pointer}/when`, quota.when, {
        ...shared,
        isReachable: () => true,
        unreachable: undefined,
      })
  }
}
