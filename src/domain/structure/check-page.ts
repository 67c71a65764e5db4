import { checkCondition, type Reach } from './check-condition.ts'
import { array, boolean, checkMembers, isGiven, text } from './check-member.ts'
import type { FieldErrors } from './field-errors.ts'
import type { Outlined } from './outline.ts'
import { arrayOf, isRecord, type Json, type PagePlace, under } from './walk.ts'

/** What `form` holds, entry by entry: pages of questions. */
export function checkForm(errors: FieldErrors, form: unknown): void {
  for (const [index, entry] of arrayOf(form).entries()) {
    const pointer = `/form/${index}`
    if (!isRecord(entry)) {
      errors.add(pointer, 'must be a page')
      continue
    }
    if (typeof entry.idname === 'string' && entry.type !== 'page') continue
    if (isGiven(entry.type) && entry.type !== 'page') errors.add(`${pointer}/type`, 'must be page')
    checkMembers(errors, pointer, entry, {
      title: text,
      description: text,
      children: array,
      skip: array,
      randomize: boolean,
    })
    for (const [at, question] of arrayOf(entry.children).entries()) {
      if (!isRecord(question)) errors.add(`${pointer}/children/${at}`, 'must be a question')
    }
  }
}

/** A page's condition may ask about earlier pages, its skips about this one too; a skip leads forwards. */
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
      what: 'is on no earlier page',
    })
  }
  const reach: Reach = { ...known, earlier: (question) => question.page <= number, what: 'is on a later page' }
  for (const [index, skip] of arrayOf(page.skip).entries()) {
    const place = `${pointer}/skip/${index}`
    if (!isRecord(skip)) {
      errors.add(place, 'must be an object')
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
    errors.add(place, 'must be the number of a page, complete or terminate')
  else if (to < 1 || to > pages) errors.add(place, `there is no page ${to}`)
  else if (to <= number) errors.add(place, `leads from page ${number} back to page ${to}: a cycle`)
}
