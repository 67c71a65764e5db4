import { checkCondition, type Reach } from './check-condition.ts'
import { array, boolean, checkMembers, isGiven, text } from './check-member.ts'
import type { FieldErrors } from './field-errors.ts'
import type { Outlined } from './outline.ts'
import { arrayOf, isRecord, type Json, type PagePlace, under } from './walk.ts'

/** Checks the entries of `form`: pages with questions. */
export function checkForm(errors: FieldErrors, form: unknown): void {
  for (const [index, entry] of arrayOf(form).entries()) {
    const pointer = `/form/${index}`
    if (!isRecord(entry)) {
      errors.add(pointer, 'invalid_type', { type: 'a page' })
      continue
    }
    if (typeof entry.idname === 'string' && entry.type !== 'page') continue
    if (isGiven(entry.type) && entry.type !== 'page') errors.add(`${pointer}/type`, 'invalid_value', {}, 'must be page')
    checkMembers(errors, pointer, entry, {
      title: text,
      description: text,
      children: array,
      skip: array,
      randomize: boolean,
    })
    for (const [at, question] of arrayOf(entry.children).entries()) {
      if (!isRecord(question)) errors.add(`${pointer}/children/${at}`, 'invalid_type', { type: 'a question' })
    }
  }
}

/** Checks that conditions refer to earlier pages, skips to this or earlier pages, and that skips lead forwards. */
export function checkLogic(
  errors: FieldErrors,
  { page, pointer }: PagePlace,
  number: number,
  pages: number,
  known: Pick<Reach, 'names' | 'rules'>,
): void {
  if (!page) return
  if (isGiven(page.condition)) {
    const earlier = (question: Outlined) => question.page < number
    checkCondition(errors, under(pointer, 'condition'), page.condition, {
      ...known,
      earlier,
      unreachable: 'must be a question of an earlier page',
    })
  }
  const reach: Reach = {
    ...known,
    earlier: (question) => question.page <= number,
    unreachable: 'must not be a question of a later page',
  }
  for (const [index, skip] of arrayOf(page.skip).entries()) {
    const place = `${pointer}/skip/${index}`
    if (!isRecord(skip)) {
      errors.add(place, 'invalid_type', { type: 'an object' })
      continue
    }
    if (isGiven(skip.when)) checkCondition(errors, under(place, 'when'), skip.when, reach)
    checkTarget(errors, place, skip, number, pages)
  }
}

function checkTarget(errors: FieldErrors, pointer: string, { to }: Json, number: number, pages: number): void {
  const place = under(pointer, 'to')
  if (to === 'complete' || to === 'terminate') return
  if (typeof to !== 'number' || !Number.isInteger(to))
    errors.add(place, 'invalid_value', {}, 'must be a page number, complete or terminate')
  else if (to < 1 || to > pages)
    errors.add(place, 'too_large', { max: pages }, `must be an existing page; there are ${pages}`)
  else if (to <= number) errors.add(place, 'cycle', {}, `leads from page ${number} back to page ${to}`)
}
