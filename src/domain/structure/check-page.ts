import { detail } from '../error-details.ts'
import { type ConditionContext, checkCondition } from './check-condition.ts'
import { array, boolean, checkMembers, isPresent, text } from './check-member.ts'
import type { FieldErrors } from './field-errors.ts'
import { arrayOf, isRecord, type Json, type PageNode, under } from './walk.ts'

/** Checks the entries of `form`: pages with questions. */
export function checkForm(errors: FieldErrors, form: unknown): void {
  for (const [index, entry] of arrayOf(form).entries()) {
    const pointer = `/form/${index}`
    if (!isRecord(entry)) {
      errors.addType(pointer, 'type_page')
      continue
    }
    if (typeof entry.idname === 'string' && entry.type !== 'page') continue
    if (isPresent(entry.type) && entry.type !== 'page')
      errors.add(`${pointer}/type`, 'invalid_value', {}, detail('type_page_only'))
    checkMembers(errors, pointer, entry, {
      title: text,
      description: text,
      children: array,
      skip: array,
      randomize: boolean,
    })
    for (const [position, question] of arrayOf(entry.children).entries()) {
      if (!isRecord(question)) errors.addType(`${pointer}/children/${position}`, 'type_question')
    }
  }
}

/**
 * Checks the condition and the skips of a page. The condition of the page can refer only to questions of earlier pages.
 * The condition of a skip can also refer to questions of this page. A skip must lead to a later page or to the end of
 * the survey.
 */
export function checkLogic(
  errors: FieldErrors,
  { page, pointer }: PageNode,
  number: number,
  pages: number,
  shared: Pick<ConditionContext, 'questionsByName' | 'cost'>,
): void {
  if (!page) return
  if (isPresent(page.condition)) {
    checkCondition(errors, under(pointer, 'condition'), page.condition, {
      ...shared,
      isReachable: (question) => question.page < number,
      unreachable: detail('earlier_page'),
    })
  }
  const skipContext: ConditionContext = {
    ...shared,
    isReachable: (question) => question.page <= number,
    unreachable: detail('not_later_page'),
  }
  for (const [index, skip] of arrayOf(page.skip).entries()) {
    const skipPointer = `${pointer}/skip/${index}`
    if (!isRecord(skip)) {
      errors.addType(skipPointer, 'type_object')
      continue
    }
    if (isPresent(skip.when)) checkCondition(errors, under(skipPointer, 'when'), skip.when, skipContext)
    checkTarget(errors, skipPointer, skip, number, pages)
  }
}

function checkTarget(errors: FieldErrors, pointer: string, { to }: Json, number: number, pages: number): void {
  const toPointer = under(pointer, 'to')
  if (to === 'complete' || to === 'terminate') return
  if (typeof to !== 'number' || !Number.isInteger(to)) errors.add(toPointer, 'invalid_value', {}, detail('skip_target'))
  else if (to < 1 || to > pages) errors.add(toPointer, 'too_large', { max: pages }, detail('skip_page', { max: pages }))
  else if (to <= number) errors.add(toPointer, 'cycle', {}, detail('skip_back', { from: number, to }))
}
