import { storageWarning } from '../../../domain/file/storage.ts'
import { findAccessBySurvey } from '../../../domain/group/access.ts'
import { duplicateSurvey } from '../../../domain/report/duplicate-survey.ts'
import { toggleSurvey } from '../../../domain/survey/commands.ts'
import { findEmptySurveys, listSurveys, summariseSurvey } from '../../../domain/survey/queries.ts'
import { addTag, removeTag } from '../../../domain/survey/tags.ts'
import { html } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { safePath } from '../../csrf.ts'
import { formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { emptyState } from '../../layout/empty-state.ts'
import { icon } from '../../layout/icon.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { pagerView, searchView, surveyView } from './list-view.ts'

const LIST = '/account/surveys/'
const PAGE_SIZE = 20

/** Lists the user's own surveys and the surveys shared with the user, newest first, filtered by name and tag. */
export async function showSurveys(request: SignedInRequest): Promise<PageResult> {
  const { context, query, csrf, ctx } = request
  const search = query.get('search')?.trim() || undefined
  const tag = query.get('tag') || undefined
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, surveys } = await listSurveys(context, { search, tag, newestFirst: true }, page)
  const accesses = await findAccessBySurvey(
    context,
    surveys.map(({ id }) => id),
  )
  // A survey with responses has questions.
  const unanswered = surveys.filter(({ live, responses }) => live && responses === 0)
  const empty = await findEmptySurveys(
    context,
    unanswered.map(({ id }) => id),
  )
  const warning = await storageWarning(context)
  const currentPath = ctx.path + ctx.search
  if (total === 0 && !search && !tag)
    return request.render({
      title: t('Surveys'),
      content: emptyState(
        'surveys',
        t('No surveys yet'),
        t('Start with a template, a copy of a survey, a form from another tool, or an empty survey.'),
        { path: `${LIST}new/`, label: t('New survey') },
      ),
    })
  return request.render({
    title: t('Surveys'),
    action: html`<a class="button" href="${LIST}new/">${icon('plus')}New survey</a>`,
    content: html`${
      warning &&
      html`<p class="alert" role="status">${t('Your uploaded files use {percent} % of {max} MB. When the space is full, respondents can no longer upload files. Delete responses or surveys that you no longer need.', { percent: warning.percent, max: warning.max })}</p>`
    }${searchView(search, tag)}
<p class="soft" role="status">${total === 0 ? t('No surveys found.') : pluralize(total, 'survey')}</p>
${surveys.length > 0 && html`<ul class="card survey-list">${surveys.map((survey) => surveyView(survey, { csrf, returnPath: currentPath, access: accesses.get(survey.id), isEmpty: empty.has(survey.id) }))}</ul>`}
${pagerView({ number: page.number, last: Math.ceil(total / PAGE_SIZE), search, tag })}`,
  })
}

/**
 * Redirects to the page that contained the submitted form: the list with its search and page number, or the overview of
 * a survey.
 */
const backToList = ({ form, context }: SignedInRequest): PageResult => ({
  redirect: safePath(formValue(form, 'back'), context.services, LIST),
})

/** Opens a closed survey or closes an open one. A survey without questions is not opened. */
export async function toggleLive(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.id)
  const { live, name } = await summariseSurvey(request.context, id, 'Publish')
  if (!live && (await findEmptySurveys(request.context, [id])).size > 0) {
    request.flash(t('“{name}” has no questions yet. Add a question, then open the survey.', { name }))
    return backToList(request)
  }
  const survey = await request.write((context) => toggleSurvey(context, id))
  const back = formValue(request.form, 'back') ?? ''
  const undo = { action: `${LIST}${survey.id}/live/`, fields: { back } }
  request.flash(
    survey.live
      ? t('“{name}” is now live.', { name: survey.name })
      : t('“{name}” is now closed.', { name: survey.name }),
    undo,
  )
  return backToList(request)
}

/** Adds a tag to a survey or removes one. */
export async function saveTag(request: SignedInRequest): Promise<PageResult> {
  const { form, params } = request
  const removed = formValue(form, 'remove')
  await request.write(async (context) => {
    if (removed !== undefined) await removeTag(context, parseId(params.id), removed)
    else await addTag(context, parseId(params.id), formValue(form, 'add') ?? '')
  })
  const back = formValue(form, 'back') ?? ''
  const action = `${LIST}${parseId(params.id)}/tags/`
  if (removed === undefined) request.flash(t('Tag added.'))
  else request.flash(t('Tag “{removed}” removed.', { removed }), { action, fields: { add: removed, back } })
  return backToList(request)
}

export async function copySurvey(request: SignedInRequest): Promise<PageResult> {
  const copy = await request.write((context) => duplicateSurvey(context, parseId(request.params.id), undefined, true))
  request.flash(t('“{name}” created. Respondents can take it after you publish it.', { name: copy.name }))
  return { redirect: LIST }
}
