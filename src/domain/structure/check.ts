import type { Fault } from '../problem.ts'
import { checkCondition, namesOf, type Reach } from './check-condition.ts'
import { checkJson } from './check-json.ts'
import { array, boolean, checkMembers, isGiven, isLanguageCode, oneOf, string, text } from './check-member.ts'
import { checkNames } from './check-names.ts'
import { checkForm, checkLogic } from './check-page.ts'
import { checkPageSizes } from './check-page-size.ts'
import { checkQuestion } from './check-question.ts'
import { Faults } from './field-errors.ts'
import { outline } from './outline.ts'
import { arrayOf, isRecord, type Json, pagePlaces, under } from './walk.ts'

const MAXIMUM_QUESTIONS = 5000
const MAX_LANGUAGES = 200

/**
 * Everything that is wrong with an authored structure, at once (up to a hundred); nothing when it can be stored and
 * taken. `field` is the JSON pointer (RFC 6901) of the place, '' for the whole. Unknown members and unknown question
 * types are no faults: they are kept.
 */
export function checkStructure(json: unknown): Fault[] {
  const faults = new Faults()
  if (!isRecord(json)) faults.add('', 'must be an object with a title')
  else if (checkJson(faults, json)) checkParts(faults, json)
  return faults.list
}

function checkParts(faults: Faults, structure: Json): void {
  checkTop(faults, structure)
  checkLanguages(faults, arrayOf(structure.languages))
  const pages = pagePlaces(structure.form)
  const total = pages.reduce((sum, { questions }) => sum + questions.length, 0)
  if (total > MAXIMUM_QUESTIONS || pages.length > MAXIMUM_QUESTIONS) {
    faults.add('/form', `must not hold more than ${MAXIMUM_QUESTIONS} pages or questions`)
    return
  }
  checkForm(faults, structure.form)
  const questions = outline(pages)
  const names = namesOf(questions)
  const rules = { count: 0, searches: 0 }
  checkNames(faults, questions)
  checkPageSizes(faults, structure, pages)
  for (const question of questions) {
    checkQuestion(faults, question)
    const { condition } = question.source
    if (!isGiven(condition)) continue
    const reach = { names, rules, earlier: ({ position }: { position: number }) => position < question.position }
    checkCondition(faults, under(question.pointer, 'condition'), condition, {
      ...reach,
      what: 'is no earlier question',
    })
  }
  for (const [index, page] of pages.entries()) checkLogic(faults, page, index + 1, pages.length, { names, rules })
  checkQuotas(faults, arrayOf(structure.quotas), { names, rules })
}

function checkTop(faults: Faults, structure: Json): void {
  const { title } = structure
  const texts = typeof title === 'string' ? [title] : isRecord(title) ? Object.values(title) : []
  if (!isGiven(title)) faults.add('/title', 'is required')
  else text(faults, '/title', title)
  if (texts.length > 0 || isRecord(title)) {
    if (texts.every((one) => typeof one === 'string' && one.trim() === '')) faults.add('/title', 'must not be empty')
  }
  checkMembers(faults, '', structure, {
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
export function checkLanguages(faults: Faults, languages: readonly unknown[], pointer = '/languages'): void {
  const codes = new Set<unknown>()
  let defaults = 0
  if (languages.length > MAX_LANGUAGES) {
    faults.add(pointer, `must not hold more than ${MAX_LANGUAGES} languages`)
    return
  }
  for (const [index, language] of languages.entries()) {
    const place = under(pointer, index)
    if (!isRecord(language)) {
      faults.add(place, 'must be an object with code and name')
      continue
    }
    const { code } = language
    if (!isLanguageCode(code)) faults.add(under(place, 'code'), 'must be a language code such as en or pt-BR')
    else if (codes.has(code)) faults.add(under(place, 'code'), `is given twice: ${code}`)
    codes.add(code)
    checkMembers(faults, place, language, { name: string, isDefault: boolean })
    if (language.isDefault === true) defaults++
  }
  // Where nobody says which, it is the first.
  const none = languages.length > 0 && languages.every((language) => isRecord(language) && language.isDefault === false)
  if (defaults > 1 || none) faults.add(pointer, 'must have isDefault on exactly one language')
}

function checkQuotas(faults: Faults, quotas: readonly unknown[], known: Pick<Reach, 'names' | 'rules'>): void {
  const seen = new Set<unknown>()
  for (const [index, quota] of quotas.entries()) {
    const place = `/quotas/${index}`
    if (!isRecord(quota)) {
      faults.add(place, 'must be an object')
      continue
    }
    const { name, limit } = quota
    if (typeof name !== 'string' || name.trim() === '')
      faults.add(`${place}/name`, 'must be a string that is not empty')
    else if (seen.has(name)) faults.add(`${place}/name`, 'is the name of another quota')
    seen.add(name)
    if (!Number.isSafeInteger(limit) || Number(limit) < 1) faults.add(`${place}/limit`, 'must be a whole number from 1')
    oneOf(['complete', 'terminate', 'close'])(faults, `${place}/action`, quota.action)
    checkMembers(faults, place, quota, { message: text })
    if (isGiven(quota.when))
      checkCondition(faults, `${place}/when`, quota.when, { ...known, earlier: () => true, what: '' })
  }
}
