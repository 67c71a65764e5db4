import { storageWarning } from '../../../domain/file/storage.ts'
import { type Access, can, findAccessBySurvey, type Permission } from '../../../domain/group/access.ts'
import { duplicateSurvey } from '../../../domain/report/duplicate-survey.ts'
import { toggleSurvey } from '../../../domain/survey/commands.ts'
import {
  findEmptySurveys,
  latestResponseTimes,
  listSurveys,
  listUsedTags,
  type SurveyState,
  type SurveySummary,
  summariseSurvey,
} from '../../../domain/survey/queries.ts'
import { addTag, removeTag } from '../../../domain/survey/tags.ts'
import { deleteSurvey, listDeletedSurveys, TRASH_DAYS } from '../../../domain/survey/trash.ts'
import { surveyUrl } from '../../../domain/survey-address.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { csrfField, safePath } from '../../csrf.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { dateTag, formatNumber, pluralize } from '../../layout/format.ts'
import { backLink, emptyState, icon, moreMenu, pager, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { surveyRoot } from './survey-page.ts'
import { TRASH_PATH } from './trash.ts'

const LIST = '/account/surveys/'
const PAGE_SIZE = 20

/** The filter and the order of the list, as in its address. */
interface ListFilter {
  search?: string | undefined
  tag?: string | undefined
  state?: SurveyState | undefined
  order?: 'name' | 'edited' | undefined
}

const readFilter = (query: URLSearchParams): ListFilter => {
  const oneOf = <Name extends string>(name: string, names: readonly Name[]) =>
    names.find((known) => known === query.get(name))
  return {
    search: query.get('search')?.trim() || undefined,
    state: oneOf('state', ['live', 'closed', 'draft']),
    tag: query.get('tag') || undefined,
    order: oneOf('order', ['name', 'edited']),
  }
}

/** Lists the user's own surveys and the surveys shared with the user, newest first by default. */
export async function showSurveys(request: SignedInRequest): Promise<PageResult> {
  const { context, query, csrf, ctx } = request
  const filter = readFilter(query)
  const { search, tag, state, order = 'newest' } = filter
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, surveys } = await listSurveys(context, { search, tag, state, order }, page)
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
  const viewable = surveys.filter(({ id, responses }) => responses > 0 && can(accesses.get(id), 'View'))
  const latest = await latestResponseTimes(
    context,
    viewable.map(({ id }) => id),
  )
  const tags = await listUsedTags(context)
  const warning = await storageWarning(context)
  const deleted = await listDeletedSurveys(context, { offset: 0, limit: 0 })
  const currentPath = ctx.path + ctx.search
  if (total === 0 && !search && !tag && !state)
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
      ${filterView(filter, tags, total)}
      ${
        surveys.length > 0 &&
        html`<table class="card survey-list">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">State</th>
              <th scope="col" class="number">Responses</th>
              <th scope="col">Last response</th>
              <th scope="col">Owner</th>
              <td></td>
            </tr>
          </thead>
          <tbody>
            ${surveys.map((survey) =>
              surveyView(survey, {
                csrf,
                returnPath: currentPath,
                access: accesses.get(survey.id),
                isEmpty: empty.has(survey.id),
                latest: latest.get(survey.id),
              }),
            )}
          </tbody>
        </table>`
      }
      ${pager({ number: page.number, total, size: PAGE_SIZE, path: (number) => listPath({ ...filter, page: number }) })}
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

/** Returns the address of the list with a filter and a page number. */
const listPath = (filter: ListFilter & { page?: number }): string => pathWith(LIST, { ...filter })

/** Renders the search, the filters and the order of the list, and the number of surveys. */
function filterView(filter: ListFilter, tags: readonly string[], total: number): Html {
  const { search, tag, state, order } = filter
  const select = (name: string, label: string, value: string | undefined, options: readonly [string, string][]) =>
    html`<label for="${name}" class="hidden">${label}</label>
      <select class="box" id="${name}" name="${name}">
        ${options.map(
          ([option, text]) =>
            html`<option value="${option}"${option === (value ?? '') && html` selected`}>${text}</option>`,
        )}
      </select>`
  const offered = tag === undefined || tags.includes(tag) ? tags : [tag, ...tags]
  return html`<form method="get" action="${LIST}" role="search" class="list-filter">
    <label for="search" class="hidden">Search by name</label> <input class="box" id="search" name="search" type="search"
        value="${search ?? ''}" placeholder="Search by name">
    ${select('state', t('State'), state, [
      ['', t('All states')],
      ['live', t('Live')],
      ['draft', t('Draft')],
      ['closed', t('Closed')],
    ])}
    ${
      offered.length > 0 &&
      select('tag', t('Tag'), tag, [['', t('All tags')], ...offered.map((name): [string, string] => [name, name])])
    }
    ${select('order', t('Order'), order, [
      ['', t('Newest first')],
      ['edited', t('Last edited first')],
      ['name', t('By name')],
    ])}
    <button class="small">Show</button>
    <p class="soft" role="status">${total === 0 ? t('No surveys found.') : pluralize(total, 'survey')}</p>
    ${(search || tag || state) && html`<a href="${listPath({ order })}">Clear filters</a>`}
  </form>`
}

const stateTag = ({ live, unpublished }: SurveySummary): Html =>
  unpublished
    ? html`<span class="tag open">Draft</span>`
    : live
      ? html`<span class="tag good">Live</span>`
      : html`<span class="tag open">Closed</span>`

/**
 * Renders a survey of the list, with a menu of the actions that the user may take.
 * @param at.returnPath address of the list, to which the browser returns after an action
 * @param at.isEmpty whether the survey is live without a question that respondents can answer
 */
function surveyView(
  survey: SurveySummary,
  at: {
    csrf: string
    returnPath: string
    access: Access | undefined
    isEmpty: boolean
    latest: Date | undefined
  },
): Html {
  const { id, name, tags, responses, creator } = survey
  const { access, isEmpty, latest } = at
  return html`<tr>
    <th scope="row">
      <a href="${surveyRoot(id)}">${name}</a>
      ${tags.map((tag) => html`<a class="tag" href="${listPath({ tag })}"><span class="hidden">Tag: </span>${tag}</a>`)}
    </th>
    <td>${stateTag(survey)}${isEmpty && html` <span class="tag missing">No questions yet</span>`}</td>
    <td class="number">
      <span class="figure">${formatNumber(responses)}</span>
      <span class="phrase">${pluralize(responses, 'response')}</span>
    </td>
    <td${!latest && html` class="none"`}>${latest ? dateTag(latest) : '–'}</td>
    <td${access === 'Owner' && html` class="none"`}>${access === 'Owner' ? t('You') : creator.username}</td>
    <td>${moreMenu(t('Actions for “{name}”', { name }), menuOf(survey, at))}</td>
  </tr>`
}

/** Renders the actions that the user may take on a survey. */
function menuOf(
  { id, name, live, unpublished, tags, creator, slug }: SurveySummary,
  { csrf, returnPath, access }: { csrf: string; returnPath: string; access: Access | undefined },
): Html {
  const may = (permission: Permission) => can(access, permission)
  const fields = html`${csrfField(csrf)}<input type="hidden" name="back" value="${returnPath}">`
  const labelFor = (verb: string) => html` aria-label="${verb} ${name}"`
  return html`
    ${
      may(['Edit', 'Test']) &&
      html`<a class="button quiet small" href="${surveyRoot(id)}edit/"${labelFor(t('Edit'))}>${icon('edit')}Edit</a>`
    }
    <a class="button quiet small" href="${surveyUrl('', { username: creator.username, slug })}"
        aria-label="View survey: ${name}">${icon('view')}View<span class="hidden"> survey</span></a>
    ${
      !unpublished &&
      may('Publish') &&
      html`<form method="post" action="${LIST}${id}/live/">
        ${fields}
        <button class="quiet small"${labelFor(live ? t('Close') : t('Reopen'))}>
          ${icon('overview')}${live ? t('Close') : t('Reopen')}
        </button>
      </form>`
    }
    ${
      may('Edit') &&
      html`<form method="post" action="${LIST}${id}/duplicate/">
        ${fields}
        <button class="quiet small"${labelFor(t('Duplicate'))}>${icon('copy')}Duplicate</button>
      </form>
      <form method="post" action="${LIST}${id}/tags/" class="tag-form">
        ${fields}
        <label for="tag-${id}" class="hidden">New tag</label>
        <input class="box" id="tag-${id}" name="add" maxlength="100" placeholder="${t('New tag')}" required>
        <button class="small" aria-label="Add tag to ${name}">Add</button>
      </form>
      ${tags.map(
        (tag) =>
          html`<form method="post" action="${LIST}${id}/tags/">
            ${fields}
            <input type="hidden" name="remove" value="${tag}">
            <button class="quiet small" aria-label="Remove “${tag}” from ${name}">${icon('tag')}Remove “${tag}”</button>
          </form>`,
      )}`
    }
    ${
      may('Owner') &&
      html`<a class="button quiet danger small" href="${LIST}${id}/delete/"${labelFor(t('Delete'))}>
        ${icon('delete')}Delete…
      </a>`
    }`
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
