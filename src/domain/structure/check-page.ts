import { checkCondition, type Reach } from './check-condition.ts'
import { array, boolean, checkMembers, isGiven, text } from './check-member.ts'
import type { Faults } from './field-errors.ts'
import type { Outlined } from './outline.ts'
import { arrayOf, isRecord, type Json, type PagePlace, under } from './walk.ts'

/** What `form` holds, entry by entry: pages of questions. */
export function checkForm(faults: Faults, form: unknown): void {
  for (const [index, entry] of arrayOf(form).entries()) {
    const pointer = `/form/${index}`
    if (!isRecord(entry)) {
      faults.add(pointer, 'must be a page')
      continue
    }
    if (typeof entry.idname === 'string' && entry.type !== 'page') continue
    if (isGiven(entry.type) && entry.type !== 'page') faults.add(`${pointer}/type`, 'must be page')
    checkMembers(faults, pointer, entry, {
      title: text,
      description: text,
      children: array,
      skip: array,
      randomize: boolean,
    })
    for (const [at, question] of arrayOf(entry.children).entries()) {
      if (!isRecord(question)) faults.add(`${pointer}/children/${at}`, 'must be a question')
    }
  }
}

/** A page's condition may ask about earlier pages, its skips about this one too; a skip leads forwards. */
export function checkLogic(
  faults: Faults,
  { page, pointer }: PagePlace,
  number: number,
  pages: number,
  known: Pick<Reach, 'names' | 'rules'>,
): void {
  if (!page) return
  if (isGiven(page.condition)) {
    const earlier = (question: Outlined) => question.page < number
    checkCondition(faults, under(pointer, 'condition'), page.condition, {
      ...known,
      earlier,
      what: 'is on no earlier page',
    })
  }
  const reach: Reach = { ...known, earlier: (question) => question.page <= number, what: 'is on a later page' }
  for (const [index, skip] of arrayOf(page.skip).entries()) {
    const place = `${pointer}/skip/${index}`
    if (!isRecord(skip)) {
      faults.add(place, 'must be an object')
      continue
    }
    if (isGiven(skip.when)) checkCondition(faults, under(place, 'when'), skip.when, reach)
    checkTarget(faults, place, skip, number, pages)
  }
}

function checkTarget(faults: Faults, pointer: string, { to }: Json, number: number, pages: number): void {
  const place = under(pointer, 'to')
  if (to === 'complete' || to === 'terminate') return
  if (typeof to !== 'number' || !Number.isInteger(to))
    faults.add(place, 'must be the number of a page, complete or terminate')
  else if (to < 1 || to > pages) faults.add(place, `there is no page ${to}`)
  else if (to <= number) faults.add(place, `leads from page ${number} back to page ${to}: a cycle`)
}
