import { findAccessBySurvey } from '../../../domain/group/access.ts'
import { duplicateSurvey } from '../../../domain/report/duplicate-survey.ts'
import { deleteSurvey, toggleSurvey } from '../../../domain/survey/commands.ts'
import { listSurveys, summariseSurvey } from '../../../domain/survey/queries.ts'
import { addTag, removeTag } from '../../../domain/survey/tags.ts'
import { html } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { safePath } from '../../csrf.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { formValue } from '../../forms/form-fields.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { pagerView, searchView, surveyView } from './card.ts'

const LIST = '/account/surveys/'
const SIZE = 20

/** The actor's surveys, the newest first: by part of the name, by tag, twenty a page. */
export async function showSurveys(request: SignedInRequest): Promise<PageResult> {
  const { context, query, csrf, ctx } = request
  const search = query.get('search')?.trim() || undefined
  const tag = query.get('tag') || undefined
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: SIZE, max: SIZE })
  const { total, surveys } = await listSurveys(context, { search, tag, newestFirst: true }, page)
  const accesses = await findAccessBySurvey(
    context,
    surveys.map(({ id }) => id),
  )
  const here = ctx.path + ctx.search
  const nothing = search || tag ? 'No survey matches.' : 'You have no surveys yet. Make your first one.'
  return request.render({
    title: 'Surveys',
    action: html`<a class="button" href="${LIST}new/">New survey</a>`,
    content: html`${searchView(search, tag)}
<p class="soft" role="status">${total === 0 ? nothing : total === 1 ? '1 survey' : `${total} surveys`}</p>
${surveys.length > 0 && html`<ul class="cards">${surveys.map((survey) => surveyView(survey, { csrf, here, access: accesses.get(survey.id) }))}</ul>`}
${pagerView({ number: page.number, last: Math.ceil(total / SIZE), search, tag })}`,
  })
}

/** Back to the list as it was looked at. */
const back = ({ form, context }: SignedInRequest): PageResult => ({
  redirect: safePath(formValue(form, 'back'), context.services, LIST),
})

/** Opens a closed survey, closes an open one. */
export async function toggleLive(request: SignedInRequest): Promise<PageResult> {
  const survey = await request.write((context) => toggleSurvey(context, parseId(request.params.id)))
  request.flash(survey.live ? `“${survey.name}” is open.` : `“${survey.name}” is closed.`)
  return back(request)
}

/** Puts a tag on a survey, or takes one off. */
export async function saveTag(request: SignedInRequest): Promise<PageResult> {
  const { form, params } = request
  const removed = formValue(form, 'remove')
  await request.write(async (context) => {
    if (removed !== undefined) await removeTag(context, parseId(params.id), removed)
    else await addTag(context, parseId(params.id), formValue(form, 'add') ?? '')
  })
  request.flash(removed === undefined ? 'The tag is added.' : 'The tag is removed.')
  return back(request)
}

export async function copySurvey(request: SignedInRequest): Promise<PageResult> {
  const copy = await request.write((context) => duplicateSurvey(context, parseId(request.params.id)))
  request.flash(`“${copy.name}” is made.`)
  return { redirect: LIST }
}

/** Asks before everything is gone. */
export async function confirmDeleteSurvey(request: SignedInRequest): Promise<PageResult> {
  const { context, params } = request
  const survey = await summariseSurvey(context, parseId(params.id), 'Owner')
  const responses = survey.responses === 1 ? '1 response' : `${survey.responses} responses`
  return confirmPage(request, {
    title: `Delete “${survey.name}”?`,
    text: `The survey and its ${responses} will be gone for good, with its collectors, versions and reports. Nobody can bring them back.`,
    button: 'Delete for good',
    cancel: { label: 'Keep it', path: LIST },
  })
}

export async function removeSurvey(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.id)
  const { name } = await summariseSurvey(request.context, id, 'Owner')
  await request.write((context) => deleteSurvey(context, id))
  request.flash(`“${name}” is deleted.`)
  return { redirect: LIST }
}
