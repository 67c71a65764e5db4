import { problems } from '../../../domain/problem.ts'
import { updateResponseMeta } from '../../../domain/response/edit/commands.ts'
import { STATE_LABELS } from '../../../domain/structure/meta-fields.ts'
import { type Html, html } from '../../../lib/html.ts'
import { formValue } from '../../forms/form-fields.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { listSearch, readResponsesRequest } from './frame.ts'

/** Renders the status of a response as a tag. */
export const statusTag = (completed: number): Html =>
  html`<span class="${completed === 1 ? 'tag done' : 'tag open'}">${STATE_LABELS[completed] ?? String(completed)}</span>`

/** Sets the status of a response. */
export async function setStatus(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const completed = ([0, 1, 2] as const).find((value) => String(value) === formValue(request.form, 'completed'))
  if (completed === undefined) throw problems.invalidField('completed', 'invalid_value', {}, 'must be 0, 1 or 2')
  const id = parseId(request.params.response)
  await request.write((context) => updateResponseMeta(context, request.survey.id, id, { completed }))
  request.flash(`Response ${id} is now ${STATE_LABELS[completed].toLowerCase()}.`)
  return { redirect: `${page.listPath}${id}/${listSearch(page)}` }
}
