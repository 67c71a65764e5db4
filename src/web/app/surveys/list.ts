import { storageWarning } from '../../../domain/file/storage.ts'
import { type Access, can, findAccessBySurvey, type Permission } from '../../../domain/group/access.ts'
import { duplicateSurvey } from '../../../domain/report/duplicate-survey.ts'
import { toggleSurvey } from '../../../domain/survey/commands.ts'
import { findEmptySurveys, listSurveys, type SurveySummary, summariseSurvey } from '../../../domain/survey/queries.ts'
import { addTag, removeTag } from '../../../domain/survey/tags.ts'
import { deleteSurvey, listDeletedSurveys, TRASH_DAYS } from '../../../domain/survey/trash.ts'
import { surveyUrl } from '../../../domain/survey-address.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { csrfField, safePath } from '../../csrf.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { dateTag, pluralize } from '../../layout/format.ts'
import { backLink, emptyState, icon } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { surveyRoot } from './survey-page.ts'
import { TRASH_PATH } from './trash.ts'

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
  const deleted = await listDeletedSurveys(context, { offset: 0, limit: 0 })
  const currentPath = ctx.path + ctx.search
  if (total === 0 && !search && !tag)
    return request.render({
      title: t('Surveys'),
      content: html`
        ${emptyState(
          'surveys',
          t('No surveys yet'),
          t('Start with a template, a copy of a survey, a form from another tool, or an empty survey.'),
          { path: `${LIST}new/`, label: t('New survey') },
        )}
        ${deletedLink(deleted.total)}`,
    })
  return request.render({
    title: t('Surveys'),
    action: html`<a class="button" href="${LIST}new/">${icon('plus')}New survey</a>`,
    content: html`
      ${
        warning &&
        html`<p class="alert" role="status">
          ${t(
            'Your uploaded files use {percent} % of {max} MB. When the space is full, respondents can no longer upload files. Delete responses or surveys that you no longer need.',
            { percent: warning.percent, max: warning.max },
          )}
        </p>`
      }
      ${searchView(search, tag)}
      <p class="soft" role="status">${total === 0 ? t('No surveys found.') : pluralize(total, 'survey')}</p>
      ${
        surveys.length > 0 &&
        html`<ul class="card survey-list">
          ${surveys.map((survey) =>
            surveyView(survey, {
              csrf,
              returnPath: currentPath,
              access: accesses.get(survey.id),
              isEmpty: empty.has(survey.id),
            }),
          )}
        </ul>`
      }
      ${pagerView({ number: page.number, last: Math.ceil(total / PAGE_SIZE), search, tag })}
      ${deletedLink(deleted.total)}`,
  })
}

const deletedLink = (count: number): Part =>
  count > 0 && html`<p><a href="${TRASH_PATH}">${t('Deleted surveys ({count})', { count })}</a></p>`

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

/** Returns the address of the list with a search, a tag and a page number. */
function listPath(filters: { search?: string | undefined; tag?: string | undefined; page?: number }): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) query.set(name, String(value))
  return query.size > 0 ? `${LIST}?${query}` : LIST
}

const searchView = (search: string | undefined, tag: string | undefined): Html =>
  html`<form method="get" action="${LIST}" role="search" class="search">
    <label for="search" class="hidden">Search by name</label> <input class="box" id="search" name="search" type="search"
        value="${search ?? ''}" placeholder="Search by name">
    ${tag !== undefined && html`<input type="hidden" name="tag" value="${tag}">`}
    <button>Search</button>
    ${
      tag !== undefined &&
      html`<a class="tag" href="${listPath({ search })}">
        Tag: ${tag} <span aria-hidden="true">×</span>
        <span class="hidden">, remove filter</span>
      </a>`
    }
  </form>`

/**
 * Renders a survey of the list, with the actions that the user may take.
 * @param at.returnPath address of the list, to which the browser returns after an action
 * @param at.isEmpty whether the survey is live without a question that respondents can answer
 */
function surveyView(
  survey: SurveySummary,
  at: { csrf: string; returnPath: string; access: Access | undefined; isEmpty: boolean },
): Html {
  const { id, name, live, unpublished, tags, responses, creator, slug, createdAt } = survey
  const { csrf, returnPath, access, isEmpty } = at
  const may = (permission: Permission) => can(access, permission)
  const fields = html`${csrfField(csrf)}<input type="hidden" name="back" value="${returnPath}">`
  const labelFor = (verb: string) => html` aria-label="${verb} ${name}"`
  return html`<li class="survey-row">
    <div class="survey-name">
      <h2><a href="${surveyRoot(id)}">${name}</a></h2>
      ${
        unpublished
          ? html`<span class="tag open">Draft</span>`
          : may('Publish') &&
            html`<form method="post" action="${LIST}${id}/live/">
              ${fields}
              <button class="switch" role="switch" aria-checked="${live ? 'true' : 'false'}" aria-label="Live: ${name}">
                Live
              </button>
            </form>`
      }
      ${isEmpty && html`<span class="tag missing">No questions yet</span>`}
    </div>
    <p class="soft">
      ${pluralize(responses, 'response')}, created ${dateTag(createdAt)}
      ${access !== 'Owner' && t(' by {username}, shared with you', { username: creator.username })}
      ${!live && !unpublished && t(', closed')}
    </p>
    ${
      tags.length > 0 &&
      html`<ul class="tags" aria-label="Tags of ${name}">
        ${tags.map((tag) => html`<li><a class="tag" href="${listPath({ tag })}">${tag}</a></li>`)}
      </ul>`
    }
    <div class="row-actions">
      ${
        may('Edit') &&
        html`<details>
          <summary>${icon('tag')}Tags<span class="hidden"> of ${name}</span></summary>
          <form method="post" action="${LIST}${id}/tags/">
            ${fields}
            <label for="tag-${id}">New tag</label>
            <input class="box" id="tag-${id}" name="add" maxlength="100" required>
            <button class="small" aria-label="Add tag to ${name}">Add</button>
          </form>
          ${tags.map(
            (tag) =>
              html`<form method="post" action="${LIST}${id}/tags/">
                ${fields}
                <input type="hidden" name="remove" value="${tag}">
                <button class="small" aria-label="Remove “${tag}” from ${name}">Remove “${tag}”</button>
              </form>`,
          )}
        </details>`
      }
      ${
        may(['Edit', 'Test']) &&
        html`<a class="button quiet small" href="${surveyRoot(id)}edit/"${labelFor(t('Edit'))}>${icon('edit')}Edit</a>`
      } <a class="button quiet small" href="${surveyUrl('', { username: creator.username, slug })}"
          aria-label="View survey: ${name}">${icon('view')}View<span class="hidden"> survey</span></a>
      ${
        may('Edit') &&
        html`<form method="post" action="${LIST}${id}/duplicate/">
          ${fields}
          <button class="quiet small"${labelFor(t('Duplicate'))}>${icon('copy')}Duplicate</button>
        </form>`
      }
      ${
        may('Owner') &&
        html`<a class="button quiet danger small" href="${LIST}${id}/delete/"${labelFor(t('Delete'))}>
          ${icon('delete')}Delete…
        </a>`
      }
    </div>
  </li>`
}

/** Renders links to the previous and next page of the list. */
function pagerView(at: { number: number; last: number; search: string | undefined; tag: string | undefined }): Part {
  const { number, last, search, tag } = at
  if (last < 2) return null
  return html`<nav aria-label="Pages" class="pager">
    ${number > 1 && html`<a href="${listPath({ search, tag, page: number - 1 })}" rel="prev">Newer</a>`} <span
        class="soft">Page ${number} of ${last}</span> ${
          number < last && html`<a href="${listPath({ search, tag, page: number + 1 })}" rel="next">Older</a>`
        }
  </nav>`
}

/** Asks for confirmation before a survey is deleted. */
export async function confirmDeleteSurvey(request: SignedInRequest): Promise<PageResult> {
  const { context, params } = request
  const survey = await summariseSurvey(context, parseId(params.id), 'Owner')
  const responses = pluralize(survey.responses, 'response')
  return confirmPage(request, {
    title: t('Delete “{name}”?', { name: survey.name }),
    beforeHeading: backLink(LIST, t('All surveys')),
    text: t(
      'This moves the survey with its {responses}, collectors, versions and reports to the deleted surveys. Its links stop working. You can restore it for {days} days.',
      { responses, days: TRASH_DAYS },
    ),
    button: t('Delete survey'),
    cancel: { label: t('Cancel'), path: LIST },
  })
}

export async function removeSurvey(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.id)
  const { name } = await summariseSurvey(request.context, id, 'Owner')
  await request.write((context) => deleteSurvey(context, id))
  request.flash(t('“{name}” deleted.', { name }), { action: `${TRASH_PATH}${id}/restore/`, fields: {} })
  return { redirect: LIST }
}
