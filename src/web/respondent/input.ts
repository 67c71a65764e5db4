import { type FieldError, fieldError } from '../../domain/field-error.ts'
import type { Submission } from '../../domain/respondent/page-submission.ts'
import { readAnswers } from '../../domain/structure/answers.ts'
import type { Answers, Field, Page, Questionnaire } from '../../domain/structure/questionnaire.ts'
import { validateAnswers } from '../../domain/structure/validate-answers.ts'
import { type FormFields, formValue, formValues } from '../forms/form-fields.ts'
import { ownParameters } from './address.ts'
import { positionKey } from './question/ranking.ts'

/** Returns whether a position is invalid or given twice. */
const clash = (places: readonly string[]): boolean =>
  new Set(places.map(Number)).size < places.length || !places.every((place) => /^\d{1,4}$/.test(place))

/** Returns the errors of rankings in which two choices have the same position. */
export const clashErrors = (keys: readonly string[]): FieldError[] =>
  keys.map((field) => fieldError(field, 'duplicate', {}, 'must have each position once'))

/** Returns the navigation that the respondent chose: the button that submitted the page. */
export function goOf(pairs: FormFields): Submission['go'] {
  const go = formValue(pairs, '_go')
  if (go && /^[1-9]\d{0,3}$/.test(go)) return Number(go)
  return go === 'back' || go === 'later' ? go : 'next'
}

/**
 * Returns the keys of the questions that the form showed, as the form lists them.
 * @returns undefined when the form has no such list: it showed all questions
 */
export const shownOf = (pairs: FormFields): ReadonlySet<string> | undefined =>
  pairs._shown === undefined ? undefined : new Set(formValues(pairs, '_shown'))

/** Returns the entered values of a page by response key; `''` for a field that was shown and left empty. */
export function rawOf(page: Page, pairs: FormFields): { raw: Record<string, unknown>; clashes: string[] } {
  const shown = shownOf(pairs)
  const raw: Record<string, unknown> = Object.create(null)
  const clashes: string[] = []
  for (const question of page.questions) {
    if (question.kind === 'hidden-field' || (shown && !shown.has(question.id))) continue
    for (const field of question.fields) raw[field.storedKey] = enteredIn(field, pairs, clashes)
    joinOther(question.fields, raw)
  }
  for (const key of clashes) delete raw[key]
  return { raw, clashes }
}

function enteredIn(field: Field, pairs: FormFields, clashes: string[]): unknown {
  if (field.type === 'multi') return formValues(pairs, field.storedKey)
  if (field.type === 'ranking' && pairs[field.storedKey] === undefined) return rankingOf(field, pairs, clashes)
  return formValue(pairs, field.storedKey)?.replaceAll('\r\n', '\n') ?? ''
}

/** Returns the choices of a ranking, ordered by their positions. */
function rankingOf({ key, choices, removed }: Field, pairs: FormFields, clashes: string[]): unknown {
  const placed = [...choices, ...removed]
    .map(({ uid }) => ({ uid, place: formValue(pairs, positionKey(key, uid)) ?? '' }))
    .filter(({ place }) => place !== '')
  if (clash(placed.map(({ place }) => place))) clashes.push(key)
  return placed.sort((a, b) => Number(a.place) - Number(b.place)).map(({ uid }) => uid)
}

/** Selects the choice "other" when its text is filled in, and drops the text when another choice is selected. */
function joinOther([main, other]: readonly Field[], raw: Record<string, unknown>): void {
  if (other?.type !== 'other' || !main) return
  const others = main.choices.filter((choice) => choice.other).map(({ uid }) => String(uid))
  const text = String(raw[other.key] ?? '').trim()
  const chosen = raw[main.key]
  if (text === '' || [chosen].flat().some((one) => others.includes(String(one)))) return
  if (Array.isArray(chosen)) raw[main.key] = [...chosen, others[0]]
  else if (chosen === '' || chosen === undefined) raw[main.key] = others[0]
  else raw[other.key] = ''
}

/**
 * Returns the answers that an address prefills, by response key: `?<question id or identifier>=<choice or text>`. Invalid answers
 * are left out.
 */
export function prefilledOf(q: Questionnaire, query: URLSearchParams): Answers {
  const names = [...new Set(query.keys())].filter((name) => !ownParameters.some((own) => own === name))
  const given = Object.fromEntries(names.map((name) => [name, query.getAll(name)]))
  const { answers } = readAnswers(q, given, 'lenient')
  const wrong = new Set(validateAnswers(q, answers).map(({ field }) => field))
  return Object.fromEntries(
    Object.entries(answers).filter(([key]) => !wrong.has(key) && q.byKey.get(key)?.question.kind !== 'hidden-field'),
  )
}

/** Returns the answers of hidden questions: the query parameter named by the identifier or id, otherwise the default. */
export function hiddenOf(q: Questionnaire, query: URLSearchParams): Record<string, string> {
  const hidden = q.questions.filter(({ kind }) => kind === 'hidden-field')
  const pairs = hidden.flatMap(({ id, identifier, default: fallback, fields }) => {
    const value = (identifier && query.get(identifier)) || query.get(id) || fallback
    return value ? [[fields[0]!.key, value] as const] : []
  })
  return Object.fromEntries(pairs)
}
