import type { FieldError } from '../field-error.ts'
import { checkCondition, namesOf, type Reach } from './check-condition.ts'
import { checkJson } from './check-json.ts'
import { array, boolean, checkMembers, isGiven, isLanguageCode, oneOf, string, text } from './check-member.ts'
import { checkNames } from './check-names.ts'
import { checkForm, checkLogic } from './check-page.ts'
import { checkPageSizes } from './check-page-size.ts'
import { checkQuestion } from './check-question.ts'
import { FieldErrors } from './field-errors.ts'
import { outline } from './outline.ts'
import { arrayOf, isRecord, type Json, pagePlaces, under } from './walk.ts'

const MAX_QUESTIONS = 5000
const MAX_LANGUAGES = 200

/** The message for a list of languages with no default language or several. */
export const ONE_DEFAULT_LANGUAGE = 'must have isDefault on exactly one language'

/**
 * Returns the errors of an authored structure, up to a hundred. `field` of each is a JSON pointer (RFC 6901), '' for the
 * whole structure. Unknown members and unknown question types are kept and are not errors.
 */
export function checkStructure(json: unknown): FieldError[] {
  const errors = new FieldErrors()
  if (!isRecord(json)) errors.add('', 'invalid_type', { type: 'an object with a title' })
  else if (checkJson(errors, json)) checkParts(errors, json)
  return errors.list
}

function checkParts(errors: FieldErrors, structure: Json): void {
  checkTop(errors, structure)
  checkLanguages(errors, arrayOf(structure.languages))
  const pages = pagePlaces(structure.form)
  const total = pages.reduce((sum, { questions }) => sum + questions.length, 0)
  if (total > MAX_QUESTIONS || pages.length > MAX_QUESTIONS) {
    errors.add('/form', 'too_many', { max: MAX_QUESTIONS }, `must have at most ${MAX_QUESTIONS} pages and questions`)
    return
  }
  checkForm(errors, structure.form)
  const questions = outline(pages)
  const names = namesOf(questions)
  const rules = { count: 0, searches: 0 }
  checkNames(errors, questions)
  checkPageSizes(errors, structure, pages)
  for (const question of questions) {
    checkQuestion(errors, question)
    const { condition } = question.source
    if (!isGiven(condition)) continue
    const reach = { names, rules, earlier: ({ position }: { position: number }) => position < question.position }
    checkCondition(errors, under(question.pointer, 'condition'), condition, {
      ...reach,
      unreachable: 'must be an earlier question',
    })
  }
  for (const [index, page] of pages.entries()) checkLogic(errors, page, index + 1, pages.length, { names, rules })
  checkQuotas(errors, arrayOf(structure.quotas), { names, rules })
}

function checkTop(errors: FieldErrors, structure: Json): void {
  const { title } = structure
  const texts = typeof title === 'string' ? [title] : isRecord(title) ? Object.values(title) : []
  if (!isGiven(title)) errors.add('/title', 'required')
  else text(errors, '/title', title)
  if (texts.length > 0 || isRecord(title)) {
    if (texts.every((one) => typeof one === 'string' && one.trim() === '')) errors.add('/title', 'blank')
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

/** Checks a list of languages, that of a structure or of its own (`languages/` of the API). */
export function checkLanguages(errors: FieldErrors, languages: readonly unknown[], pointer = '/languages'): void {
  const codes = new Set<unknown>()
  let defaults = 0
  if (languages.length > MAX_LANGUAGES) {
    errors.add(pointer, 'too_many', { max: MAX_LANGUAGES })
    return
  }
  for (const [index, language] of languages.entries()) {
    const place = under(pointer, index)
    if (!isRecord(language)) {
      errors.add(place, 'invalid_type', { type: 'an object with code and name' })
      continue
    }
    const { code } = language
    if (!isLanguageCode(code))
      errors.add(under(place, 'code'), 'invalid_format', {}, 'must be a language code such as en or pt-BR')
    else if (codes.has(code))
      errors.add(under(place, 'code'), 'duplicate', { value: String(code) }, `is a duplicate: ${code}`)
    codes.add(code)
    checkMembers(errors, place, language, { name: string, isDefault: boolean })
    if (language.isDefault === true) defaults++
  }
  // Without isDefault the first language is the default.
  const none = languages.length > 0 && languages.every((language) => isRecord(language) && language.isDefault === false)
  if (defaults > 1 || none) errors.add(pointer, 'invalid_structure', {}, ONE_DEFAULT_LANGUAGE)
}

function checkQuotas(errors: FieldErrors, quotas: readonly unknown[], known: Pick<Reach, 'names' | 'rules'>): void {
  const seen = new Set<unknown>()
  for (const [index, quota] of quotas.entries()) {
    const place = `/quotas/${index}`
    if (!isRecord(quota)) {
      errors.add(place, 'invalid_type', { type: 'an object' })
      continue
    }
    const { name, limit } = quota
    if (typeof name !== 'string' || name.trim() === '') errors.add(`${place}/name`, 'blank')
    else if (seen.has(name)) errors.add(`${place}/name`, 'duplicate', { value: name }, 'is the name of another quota')
    seen.add(name)
    if (!Number.isSafeInteger(limit) || Number(limit) < 1)
      errors.add(`${place}/limit`, 'too_small', { min: 1 }, 'must be a whole number of at least 1')
    oneOf(['complete', 'terminate', 'close'])(errors, `${place}/action`, quota.action)
    checkMembers(errors, place, quota, { message: text })
    if (isGiven(quota.when))
      checkCondition(errors, `${place}/when`, quota.when, { ...known, earlier: () => true, unreachable: '' })
  }
}
