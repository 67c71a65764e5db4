import { problems } from '../../../domain/problem.ts'
import { amendResponse } from '../../../domain/response/edit/commands.ts'
import { deleteResponse, deleteResponses } from '../../../domain/response/edit/remove.ts'
import { findResponse } from '../../../domain/response/list/queries.ts'
import { STATE_LABELS } from '../../../domain/structure/meta-fields.ts'
import { html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { formValue, formValues } from '../../forms/form-fields.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { aboutResponses } from './frame.ts'
import { listSearch } from './show.ts'

const responseIn = ({ params }: SurveyRequest): number => parseId(params.response)

/** Moves a response from one status to another. */
export async function setStatus(request: SurveyRequest): Promise<PageResult> {
  const about = await aboutResponses(request)
  const completed = ([0, 1, 2] as const).find((value) => String(value) === formValue(request.form, 'completed'))
  if (completed === undefined) throw problems.invalidField('completed', 'must be 0, 1 or 2')
  const id = responseIn(request)
  await request.write((context) => amendResponse(context, request.survey.id, id, { completed }))
  request.flash(`Response ${id} is now ${STATE_LABELS[completed].toLowerCase()}.`)
  return { redirect: `${about.top}${id}/${listSearch(about)}` }
}

/** Asks before a response is gone. */
export async function askToDeleteOne(request: SurveyRequest): Promise<PageResult> {
  const about = await aboutResponses(request)
  const { row } = await findResponse(about.context, request.survey.id, responseIn(request))
  const search = listSearch(about)
  return request.render({
    title: `Delete response ${row.id}?`,
    content: html`<section class="card"><p>This permanently deletes its answers. You cannot undo this.</p>
<form method="post" action="${about.top}${row.id}/delete/${search}" class="actions below">${csrfField(request.csrf)}<button class="danger">Delete response</button><a class="button plain" href="${about.top}${row.id}/${search}">Cancel</a></form></section>`,
  })
}

export async function deleteOne(request: SurveyRequest): Promise<PageResult> {
  const about = await aboutResponses(request)
  const id = responseIn(request)
  await request.write((context) => deleteResponse(context, request.survey.id, id))
  request.flash(`Response ${id} deleted.`)
  return { redirect: `${about.top}${listSearch(about)}` }
}

/** Deletes the responses that were chosen in the list, once the asker is sure. */
export async function deleteSeveral(request: SurveyRequest): Promise<PageResult> {
  const about = await aboutResponses(request)
  const ids = [...new Set(formValues(request.form, 'id').map(parseId))].filter((id) => id > 0)
  const back = `${about.top}${listSearch(about)}`
  if (ids.length === 0) {
    request.flash('Select at least one response.')
    return { redirect: back }
  }
  const what = ids.length === 1 ? '1 response' : `${ids.length} responses`
  if (formValue(request.form, 'sure') === 'yes') {
    await request.write((context) => deleteResponses(context, request.survey.id, ids))
    request.flash(`${what} deleted.`)
    return { redirect: back }
  }
  return request.render({
    title: `Delete ${what}?`,
    content: html`<section class="card"><p>This permanently deletes ${ids.length === 1 ? 'response' : 'responses'} ${ids.join(', ')}. You cannot undo this.</p>
<form method="post" action="${about.top}delete/${listSearch(about)}" class="actions below">${csrfField(request.csrf)}<input type="hidden" name="sure" value="yes">${ids.map((id) => html`<input type="hidden" name="id" value="${id}">`)}<button class="danger">Delete ${ids.length === 1 ? 'response' : 'responses'}</button><a class="button plain" href="${back}">Cancel</a></form></section>`,
  })
}
