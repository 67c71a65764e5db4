import { detail } from '../../../domain/error-details.ts'
import { problems } from '../../../domain/problem.ts'
import { updateResponseMeta } from '../../../domain/response/edit/commands.ts'
import { findResponse } from '../../../domain/response/list/queries.ts'
import { STATE_NAMES } from '../../../domain/structure/meta-fields.ts'
import { type Html, html } from '../../../lib/html.ts'
import { formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { listSearch, readResponsesRequest } from './frame.ts'

/** Renders the status of a response as a tag. */
export const statusTag = (completed: number): Html =>
  html`<span class="${completed === 1 ? 'tag done' : 'tag open'}">${t(STATE_NAMES[completed] ?? String(completed))}</span>`

/** Returns the name of a status, worded for the middle of a sentence. */
const stateName = (completed: 0 | 1 | 2): string => [t('incomplete'), t('complete'), t('screened out')][completed]!

/** Sets the status of a response. */
export async function setStatus(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const completed = ([0, 1, 2] as const).find((value) => String(value) === formValue(request.form, 'completed'))
  if (completed === undefined)
    throw problems.invalidField('completed', 'invalid_value', {}, detail('one_of', { values: '0, 1, 2' }))
  const { row } = await findResponse(page.context, request.survey.id, parseId(request.params.response))
  await request.write((context) => updateResponseMeta(context, request.survey.id, row.id, { completed }))
  request.flash(t('Response {number} is now {value}.', { number: row.number, value: stateName(completed) }))
  return { redirect: `${page.listPath}${row.id}/${listSearch(page)}` }
}
