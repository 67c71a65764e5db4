import { problems } from '../../../domain/problem.ts'
import { amendResponse } from '../../../domain/response/edit/commands.ts'
import { findResponse } from '../../../domain/response/list/queries.ts'
import { deleteResponse, deleteResponses } from '../../../domain/response/edit/remove.ts'
import { html } from '../../../lib/html.ts'
import { csrfField } from '../../layout/app-shell.ts'
import { idIn } from '../../session.ts'
import { all, one } from '../../respondent/input.ts'
import type { Answer } from '../../page.ts'
import type { SurveyVisit } from '../surveys/frame.ts'
import { aboutResponses } from './frame.ts'
import { listSearch } from './show.ts'
import { STATUSES } from './status.ts'

const responseIn = ({ params }: SurveyVisit): number => idIn(params.response)

/** Moves a response from one status to another. */
export async function setStatus(visit: SurveyVisit): Promise<Answer> {
  const about = await aboutResponses(visit)
  const completed = ([0, 1, 2] as const).find((value) => String(value) === one(visit.form, 'completed'))
  if (completed === undefined) throw problems.invalidField('completed', 'must be 0, 1 or 2')
  const id = responseIn(visit)
  await visit.write((context) => amendResponse(context, visit.survey.id, id, { completed }))
  visit.tell(`Response ${id}: ${STATUSES[completed].toLowerCase()}.`)
  return { redirect: `${about.top}${id}/${listSearch(about)}` }
}

/** Asks before a response is gone. */
export async function askToDeleteOne(visit: SurveyVisit): Promise<Answer> {
  const about = await aboutResponses(visit)
  const { row } = await findResponse(about.context, visit.survey.id, responseIn(visit))
  const search = listSearch(about)
  return visit.show({
    title: `Delete response ${row.id}?`,
    content: html`<section class="card"><p>Its answers will be gone for good. Nobody can bring them back.</p>
<form method="post" action="${about.top}${row.id}/delete/${search}" class="actions below">${csrfField(visit.csrf)}<button class="danger">Delete for good</button><a class="button plain" href="${about.top}${row.id}/${search}">Keep it</a></form></section>`,
  })
}

export async function deleteOne(visit: SurveyVisit): Promise<Answer> {
  const about = await aboutResponses(visit)
  const id = responseIn(visit)
  await visit.write((context) => deleteResponse(context, visit.survey.id, id))
  visit.tell(`Response ${id} is deleted.`)
  return { redirect: `${about.top}${listSearch(about)}` }
}

/** Deletes the responses that were chosen in the list, once the asker is sure. */
export async function deleteSeveral(visit: SurveyVisit): Promise<Answer> {
  const about = await aboutResponses(visit)
  const ids = [...new Set(all(visit.form, 'id').map(idIn))].filter((id) => id > 0)
  const back = `${about.top}${listSearch(about)}`
  if (ids.length === 0) {
    visit.tell('Choose responses first: there is a box before each.')
    return { redirect: back }
  }
  const what = ids.length === 1 ? '1 response' : `${ids.length} responses`
  if (one(visit.form, 'sure') === 'yes') {
    await visit.write((context) => deleteResponses(context, visit.survey.id, ids))
    visit.tell(`${what} deleted.`)
    return { redirect: back }
  }
  return visit.show({
    title: `Delete ${what}?`,
    content: html`<section class="card"><p>${ids.length === 1 ? 'Number' : 'Numbers'} ${ids.join(', ')}. The answers will be gone for good. Nobody can bring them back.</p>
<form method="post" action="${about.top}delete/${listSearch(about)}" class="actions below">${csrfField(visit.csrf)}<input type="hidden" name="sure" value="yes">${ids.map((id) => html`<input type="hidden" name="id" value="${id}">`)}<button class="danger">Delete for good</button><a class="button plain" href="${back}">Keep them</a></form></section>`,
  })
}
