import { type FieldError, fieldError } from '../../domain/field-error.ts'
import type { Submission } from '../../domain/respondent/page-submission.ts'
import { isAnswered } from '../../domain/structure/answered.ts'
import { parseAnswers } from '../../domain/structure/parse-answers.ts'
import type { Answers, Field, Page, Question, Questionnaire } from '../../domain/structure/questionnaire.ts'
import { isServiceParameter } from '../../domain/structure/reserved-ids.ts'
import { isValidAnswer } from '../../domain/structure/validate-answers.ts'
import { isAutomatic, typeOf } from '../../questions/index.ts'
import { type FormFields, formValue, formValues } from '../forms/form-fields.ts'
import { NO_ANSWER } from '../questions/choice-list.ts'
import { viewOf } from '../questions/index.ts'
import { positionKey } from '../questions/ranking.ts'

/** Returns whether a position is invalid, or whether two positions are the same. */
const hasInvalidPositions = (positions: readonly string[]): boolean =>
  new Set(positions.map(Number)).size < positions.length || !positions.every((position) => /^\d{1,4}$/.test(position))

/** Returns the errors for rankings with invalid or repeated positions. */
export const duplicateRankErrors = (keys: readonly string[]): FieldError[] =>
  keys.map((field) => fieldError(field, 'duplicate', {}, 'must have each position once'))

/** Returns where the respondent wants to go next. The button that submitted the page determines it. */
export function parseNavigation(form: FormFields): Submission['go'] {
  const go = formValue(form, '_go')
  if (go && /^[1-9]\d{0,3}$/.test(go)) return Number(go)
  return go === 'back' || go === 'later' ? go : 'next'
}

/**
 * Returns the IDs of the questions that the form contained. The form lists them in hidden fields.
 * @returns undefined if the form has no such list, which means that it contained all questions
 */
export const shownQuestionIds = (form: FormFields): ReadonlySet<string> | undefined =>
  form._shown === undefined ? undefined : new Set(formValues(form, '_shown'))

/** Returns the choices that the form contained, by question ID ({@link Submission.offered}). */
export const offeredKeys = (form: FormFields): ReadonlyMap<string, string> =>
  new Map(
    formValues(form, '_offered').flatMap((value): [string, string][] => {
      const end = value.indexOf(' ')
      return end === -1 ? [] : [[value.slice(end + 1), value.slice(0, end)]]
    }),
  )

/**
 * Returns the entered values of a page, by `storedKey` of the field. A field that was shown and left empty has the
 * value `''`, or `[]` if its answer is a list.
 */
export function readValues(
  page: Page,
  form: FormFields,
): { values: Record<string, unknown>; duplicateRanks: string[] } {
  const shown = shownQuestionIds(form)
  const values: Record<string, unknown> = Object.create(null)
  const duplicateRanks: string[] = []
  for (const question of page.questions) {
    if (isAutomatic(question.kind) || (shown && !shown.has(question.id))) continue
    // The service stores the version and the text of a consent. A respondent cannot choose them.
    for (const field of question.fields.filter(({ type, part }) => type !== 'other' || !part))
      values[field.storedKey] = readFieldValue(field, form, duplicateRanks)
    selectOtherChoice(question, values, form)
  }
  for (const key of duplicateRanks) delete values[key]
  return { values, duplicateRanks }
}

function readFieldValue(field: Field, form: FormFields, duplicateRanks: string[]): unknown {
  if (field.type === 'multi') return formValues(form, field.storedKey)
  if (field.type === 'file') return formValues(form, field.storedKey).join(' ')
  if (field.type === 'ranking' && form[field.storedKey] === undefined) return readRanking(field, form, duplicateRanks)
  return isCleared(field, form) ? '' : (formValue(form, field.storedKey)?.replaceAll('\r\n', '\n') ?? '')
}

/** Returns the choices of a ranking in the order of the entered positions. */
function readRanking({ key, choices, removed }: Field, form: FormFields, duplicateRanks: string[]): unknown {
  const ranked = [...choices, ...removed]
    .map(({ uid }) => ({ uid, position: formValue(form, positionKey(key, uid)) ?? '' }))
    .filter(({ position }) => position !== '')
  if (hasInvalidPositions(ranked.map(({ position }) => position))) duplicateRanks.push(key)
  return ranked.sort((a, b) => Number(a.position) - Number(b.position)).map(({ uid }) => uid)
}

/**
 * If the text of the choice "other" is filled in, selects this choice. If the question allows only one choice and the
 * respondent selected a different choice or no answer, removes the text instead.
 */
function selectOtherChoice(question: Question, values: Record<string, unknown>, form: FormFields): void {
  const [main, other] = question.fields
  if (other?.type !== 'other' || !main) return
  const otherValues = main.choices.filter((choice) => choice.other).map(({ uid }) => String(uid))
  const text = String(values[other.key] ?? '').trim()
  const chosen = values[main.key]
  if (text === '' || [chosen].flat().some((value) => otherValues.includes(String(value)))) return
  if (Array.isArray(chosen)) values[main.key] = [...chosen, otherValues[0]]
  else if ((chosen === '' || chosen === undefined) && !isCleared(main, form)) values[main.key] = otherValues[0]
  else values[other.key] = ''
}

/** Returns whether the respondent chose the radio button that clears an answer, with the text of its choice. */
const isCleared = ({ question, type, storedKey }: Field, form: FormFields): boolean =>
  viewOf(question.kind).isRadio === true &&
  formValue(form, type === 'other' ? question.fields[0]!.storedKey : storedKey) === NO_ANSWER

/** The form field of a first page that was opened before its response was stored. */
export const ISSUED_FIRST = '_new'

/**
 * Removes the empty values of a page whose fields have stored answers, and returns whether there are any. The history
 * of a browser can show the first page as it was before its response was stored, and browsers do not restore every
 * field.
 */
export function removeUnrestored(
  page: Page,
  values: Record<string, unknown>,
  stored: Answers,
  form: FormFields,
): boolean {
  const isEmpty = (value: unknown) => value === '' || (Array.isArray(value) && value.length === 0)
  const unrestored = page.questions
    .flatMap(({ fields }) => fields)
    .filter((field) => isEmpty(values[field.storedKey]) && isAnswered(stored, field.key))
    .filter((field) => !isCleared(field, form))
  for (const { storedKey } of unrestored) delete values[storedKey]
  return unrestored.length > 0
}

/**
 * Returns the answers that a URL prefills, by response key (the key of an answer, such as `grid_0`). The parameters
 * have the form `?<question ID or identifier>=<choice or text>`. Invalid answers are left out.
 * @param anonymous whether the survey is anonymous; then only choices are prefilled, because a text can be a name
 */
export function prefilledAnswers(q: Questionnaire, query: URLSearchParams, anonymous: boolean): Answers {
  const parameterNames = [...new Set(query.keys())].filter((name) => !isServiceParameter(name))
  const values = Object.fromEntries(parameterNames.map((name) => [name, query.getAll(name)]))
  const { answers } = parseAnswers(q, values, 'lenient')
  return Object.fromEntries(
    Object.entries(answers).filter(([key, value]) => {
      const field = q.byKey.get(key)
      return field && canPrefill(field, anonymous) && isValidAnswer(q, field, value)
    }),
  )
}

/**
 * Returns whether a link can prefill the answer to a field. Consents, signatures and files cannot be prefilled, because
 * only the respondent can give them.
 */
const canPrefill = (field: Field, anonymous: boolean): boolean =>
  !(anonymous && field.choices.length === 0) &&
  !isAutomatic(field.question.kind) &&
  !viewOf(field.question.kind).isPersonal &&
  field.type !== 'file'

/**
 * Returns the answers to hidden questions. Each answer is the value of the query parameter with the identifier or the
 * ID of the question. Without such a parameter, it is the default of the question.
 * @param anonymous whether the survey is anonymous; then the answers are the defaults, because a parameter that
 *   respondents do not see could identify them
 */
export function hiddenAnswers(q: Questionnaire, query: URLSearchParams, anonymous: boolean): Record<string, string> {
  const parameter = (name: string | undefined) =>
    anonymous || !name || isServiceParameter(name) ? undefined : query.get(name)

  const hidden = q.questions.filter(({ kind }) => typeOf(kind)?.answeredBy === 'link')
  const entries = hidden.flatMap(({ id, identifier, default: fallback, fields }) => {
    const value = parameter(identifier) || parameter(id) || fallback
    return value ? [[fields[0]!.key, value] as const] : []
  })
  return Object.fromEntries(entries)
}
