import { typeOf } from '../../questions/index.ts'
import { detail } from '../error-details.ts'
import type { FieldError } from '../field-error.ts'
import { type ConditionContext, checkCondition, indexByName } from './check-condition.ts'
import { Loops } from './check-loops.ts'
import { checkExpression, checkJson, checkLogic, checkNames } from './check-names.ts'
import { checkPageSizes } from './check-page-size.ts'
import { checkChoiceFilter, checkQuestion } from './check-question.ts'
import { checkMembers, checkOf, checksOf, eachObject, isLanguageCode, text } from './check-shape.ts'
import { StructureCost } from './cost.ts'
import type { Schema } from './json-schema.ts'
import { outline } from './outline.ts'
import { structureSchema } from './schema.ts'
import { arrayOf, FieldErrors, isPresent, isRecord, type Json, membersOf, pageNodes, under } from './walk.ts'

const MAX_QUESTIONS = 5000
const MAX_LANGUAGES = 200

const { StructurePage, StructureLanguage, Quota } = structureSchema.$defs as Record<string, Schema>
/** The members in the order of their errors. The editors of the original service write those without an effect. */
const topChecks = checksOf(
  { ...structureSchema.properties!, uniques: { type: 'array' }, showBranchingInfo: { type: 'boolean' } },
  [
    ...['description', 'form', 'uniques', 'firstPageTitleDescription', 'languageDisplayStyle', 'quotas', 'languages'],
    ...['jumping', 'showBranchingInfo'],
  ],
)
const pageChecks = checksOf(StructurePage!.properties!, [
  'title',
  'description',
  'children',
  'skip',
  'randomize',
  'randomBlock',
  'loop',
])
const languageChecks = checksOf(StructureLanguage!.properties!, ['name', 'isDefault'])
const quotaChecks = checksOf(Quota!.properties!, ['message'])
const actionCheck = checkOf(Quota!.properties!.action!)

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
  const questionCount = pages.reduce(
    (sum, { page, questions }) => sum + (page ? arrayOf(page.children) : questions).length,
    0,
  )
  if (questionCount > MAX_QUESTIONS || pages.length > MAX_QUESTIONS) {
    errors.add('/form', 'too_many', { max: MAX_QUESTIONS }, detail('too_many_pages', { max: MAX_QUESTIONS }))
    return
  }
  checkForm(errors, structure.form)
  const questions = outline(pages)
  const loops = new Loops(pages, questions)
  const shared = { questionsByName: indexByName(questions), cost: new StructureCost(errors), loops }
  checkNames(errors, questions)
  checkPageSizes(errors, structure, pages)
  loops.check(errors)
  for (const question of questions) {
    shared.cost.times = loops.times(question.page)
    checkQuestion(errors, question)
    if (typeOf(question.kind)?.answeredBy === 'calculation') checkExpression(errors, question, shared)
    checkChoiceFilter(errors, question, shared)
    const { condition } = question.source
    if (!isPresent(condition)) continue
    checkCondition(errors, under(question.pointer, 'condition'), condition, {
      ...shared,
      page: question.page,
      isReachable: ({ position }) => position < question.position,
      unreachable: undefined,
    })
  }
  for (const [index, page] of pages.entries()) {
    shared.cost.times = loops.times(index + 1)
    if (shared.cost.times > 1) shared.cost.addRule(under(page.pointer, 'loop'), 'contains', 1, 1)
    checkLogic(errors, page, index + 1, pages.length, shared)
  }
  shared.cost.times = 1
  checkQuotas(errors, arrayOf(structure.quotas), shared)
}

function checkTop(errors: FieldErrors, structure: Json): void {
  const { title } = structure
  const texts = typeof title === 'string' ? [title] : isRecord(title) ? Object.values(title) : undefined
  if (!isPresent(title)) errors.add('/title', 'required')
  else text(errors, '/title', title)
  if (texts?.every((text) => typeof text === 'string' && text.trim() === '')) errors.add('/title', 'blank')
  checkMembers(errors, '', structure, topChecks)
}

/** Checks the entries of `form`: pages with questions. */
function checkForm(errors: FieldErrors, form: unknown): void {
  eachObject(errors, '/form', arrayOf(form), 'type_page', (entry, pointer) => {
    if (typeof entry.idname === 'string' && entry.type !== 'page') return
    if (isPresent(entry.type) && entry.type !== 'page')
      errors.add(`${pointer}/type`, 'invalid_value', {}, detail('type_page_only'))
    checkMembers(errors, pointer, entry, pageChecks)
    eachObject(errors, `${pointer}/children`, arrayOf(entry.children), 'type_question', () => {})
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
  eachObject(errors, pointer, languages, 'type_language', (language, languagePointer) => {
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
    checkMembers(errors, languagePointer, language, languageChecks)
    if (language.isDefault === true) defaults++
  })
  // If no language has `isDefault: true`, the first one is the default. This is an error only if all languages have
  // `isDefault: false`.
  const hasNoDefault = languages.length > 0 && languages.every((language) => membersOf(language).isDefault === false)
  if (defaults > 1 || hasNoDefault) errors.add(pointer, 'invalid_structure', {}, detail('one_default_language'))
}

function checkQuotas(
  errors: FieldErrors,
  quotas: readonly unknown[],
  shared: Pick<ConditionContext, 'questionsByName' | 'cost' | 'loops'>,
): void {
  const names = new Set<unknown>()
  eachObject(errors, '/quotas', quotas, 'type_object', (quota, pointer) => {
    const { name, limit } = quota
    if (typeof name !== 'string' || name.trim() === '') errors.add(`${pointer}/name`, 'blank')
    else if (names.has(name)) errors.add(`${pointer}/name`, 'duplicate', { value: name }, detail('duplicate_quota'))
    names.add(name)
    if (!Number.isSafeInteger(limit) || Number(limit) < 1)
      errors.add(`${pointer}/limit`, 'too_small', { min: 1 }, detail('positive_integer'))
    actionCheck(errors, `${pointer}/action`, quota.action)
    checkMembers(errors, pointer, quota, quotaChecks)
    if (isPresent(quota.when))
      checkCondition(errors, `${pointer}/when`, quota.when, {
        ...shared,
        page: undefined,
        isReachable: () => true,
        unreachable: undefined,
      })
  })
}
