import type { FieldError } from '../problem.ts'
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

const MAXIMUM_QUESTIONS = 5000
const MAX_LANGUAGES = 200

/**
 * Everything that is wrong with an authored structure, at once (up to a hundred); nothing when it can be stored and
 * taken. `field` is the JSON pointer (RFC 6901) of the place, '' for the whole. Unknown members and unknown question
 * types are no faults: they are kept.
 */
export function checkStructure(json: unknown): FieldError[] {
  const errors = new FieldErrors()
  if (!isRecord(json)) errors.add('', 'must be an object with a title')
  else if (checkJson(errors, json)) checkParts(errors, json)
  return errors.list
}

function checkParts(errors: FieldErrors, structure: Json): void {
  checkTop(errors, structure)
  checkLanguages(errors, arrayOf(structure.languages))
  const pages = pagePlaces(structure.form)
  const total = pages.reduce((sum, { questions }) => sum + questions.length, 0)
  if (total > MAXIMUM_QUESTIONS || pages.length > MAXIMUM_QUESTIONS) {
    errors.add('/form', `must not hold more than ${MAXIMUM_QUESTIONS} pages or questions`)
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
      what: 'is no earlier question',
    })
  }
  for (const [index, page] of pages.entries()) checkLogic(errors, page, index + 1, pages.length, { names, rules })
  checkQuotas(errors, arrayOf(structure.quotas), { names, rules })
}

function checkTop(errors: FieldErrors, structure: Json): void {
  const { title } = structure
  const texts = typeof title === 'string' ? [title] : isRecord(title) ? Object.values(title) : []
  if (!isGiven(title)) errors.add('/title', 'is required')
  else text(errors, '/title', title)
  if (texts.length > 0 || isRecord(title)) {
    if (texts.every((one) => typeof one === 'string' && one.trim() === '')) errors.add('/title', 'must not be empty')
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

/** What is wrong with a list of languages, also where it stands alone (`languages/` of the API, pointer `/languages`). */
export function checkLanguages(errors: FieldErrors, languages: readonly unknown[], pointer = '/languages'): void {
  const codes = new Set<unknown>()
  let defaults = 0
  if (languages.length > MAX_LANGUAGES) {
    errors.add(pointer, `must not hold more than ${MAX_LANGUAGES} languages`)
    return
  }
  for (const [index, language] of languages.entries()) {
    const place = under(pointer, index)
    if (!isRecord(language)) {
      errors.add(place, 'must be an object with code and name')
      continue
    }
    const { code } = language
    if (!isLanguageCode(code)) errors.add(under(place, 'code'), 'must be a language code such as en or pt-BR')
    else if (codes.has(code)) errors.add(under(place, 'code'), `is given twice: ${code}`)
    codes.add(code)
    checkMembers(errors, place, language, { name: string, isDefault: boolean })
    if (language.isDefault === true) defaults++
  }
  // Where nobody says which, it is the first.
  const none = languages.length > 0 && languages.every((language) => isRecord(language) && language.isDefault === false)
  if (defaults > 1 || none) errors.add(pointer, 'must have isDefault on exactly one language')
}

function checkQuotas(errors: FieldErrors, quotas: readonly unknown[], known: Pick<Reach, 'names' | 'rules'>): void {
  const seen = new Set<unknown>()
  for (const [index, quota] of quotas.entries()) {
    const place = `/quotas/${index}`
    if (!isRecord(quota)) {
      errors.add(place, 'must be an object')
      continue
    }
    const { name, limit } = quota
    if (typeof name !== 'string' || name.trim() === '')
      errors.add(`${place}/name`, 'must be a string that is not empty')
    else if (seen.has(name)) errors.add(`${place}/name`, 'is the name of another quota')
    seen.add(name)
    if (!Number.isSafeInteger(limit) || Number(limit) < 1) errors.add(`${place}/limit`, 'must be a whole number from 1')
    oneOf(['complete', 'terminate', 'close'])(errors, `${place}/action`, quota.action)
    checkMembers(errors, place, quota, { message: text })
    if (isGiven(quota.when))
      checkCondition(errors, `${place}/when`, quota.when, { ...known, earlier: () => true, what: '' })
  }
}
