import { type Access, can, type Permission } from '../../../domain/group/access.ts'
import type { SurveySummary } from '../../../domain/survey/queries.ts'
import { surveyUrl } from '../../../domain/survey-address.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { t } from '../../i18n/t.ts'
import { icon } from '../../layout/icon.ts'
import { pluralize } from '../../layout/pluralize.ts'
import { dateTag } from '../../layout/time-tag.ts'
import { surveyRoot } from './survey-page.ts'

const LIST = '/account/surveys/'

/** Returns the address of the list with a search, a tag and a page number. */
function listPath(filters: { search?: string | undefined; tag?: string | undefined; page?: number }): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) query.set(name, String(value))
  return query.size > 0 ? `${LIST}?${query}` : LIST
}

export const searchView = (search: string | undefined, tag: string | undefined): Html =>
  html`<form method="get" action="${LIST}" role="search" class="search"><label for="search" class="hidden">Search by name</label>
<input class="box" id="search" name="search" type="search" value="${search ?? ''}" placeholder="Search by name">${
    tag !== undefined && html`<input type="hidden" name="tag" value="${tag}">`
  }<button>Search</button>${
    tag !== undefined &&
    html`<a class="tag" href="${listPath({ search })}">Tag: ${tag} <span aria-hidden="true">×</span><span class="hidden">, remove filter</span></a>`
  }</form>`

/**
 * Renders a survey of the list, with the actions that the user may take.
 * @param at.returnPath address of the list, to which the browser returns after an action
 * @param at.isEmpty whether the survey is live without a question that respondents can answer
 */
export function surveyView(
  survey: SurveySummary,
  at: { csrf: string; returnPath: string; access: Access | undefined; isEmpty: boolean },
): Html {
  const { id, name, live, unpublished, tags, responses, creator, slug, createdAt } = survey
  const { csrf, returnPath, access, isEmpty } = at
  const may = (permission: Permission) => can(access, permission)
  const fields = html`${csrfField(csrf)}<input type="hidden" name="back" value="${returnPath}">`
  const labelFor = (verb: string) => html` aria-label="${verb} ${name}"`
  return html`<li class="survey-row"><div class="survey-name"><h2><a href="${surveyRoot(id)}">${name}</a></h2>
${unpublished ? html`<span class="tag open">Draft</span>` : may('Publish') && html`<form method="post" action="${LIST}${id}/live/">${fields}<button class="switch" role="switch" aria-checked="${live ? 'true' : 'false'}" aria-label="Live: ${name}">Live</button></form>`}${isEmpty && html`<span class="tag missing">No questions yet</span>`}</div>
<p class="soft">${pluralize(responses, 'response')}, created ${dateTag(createdAt)}${access !== 'Owner' && t(' by {username}, shared with you', { username: creator.username })}${!live && !unpublished && t(', closed')}</p>
${tags.length > 0 && html`<ul class="tags" aria-label="Tags of ${name}">${tags.map((tag) => html`<li><a class="tag" href="${listPath({ tag })}">${tag}</a></li>`)}</ul>`}
<div class="row-actions">${
    may('Edit') &&
    html`<details><summary>${icon('tag')}Tags<span class="hidden"> of ${name}</span></summary>
<form method="post" action="${LIST}${id}/tags/">${fields}<label for="tag-${id}">New tag</label><input class="box" id="tag-${id}" name="add" maxlength="100" required><button class="small" aria-label="Add tag to ${name}">Add</button></form>
${tags.map((tag) => html`<form method="post" action="${LIST}${id}/tags/">${fields}<input type="hidden" name="remove" value="${tag}"><button class="small" aria-label="Remove “${tag}” from ${name}">Remove “${tag}”</button></form>`)}</details>`
  }
${may(['Edit', 'Test']) && html`<a class="button quiet small" href="${surveyRoot(id)}edit/"${labelFor(t('Edit'))}>${icon('edit')}Edit</a>`}
<a class="button quiet small" href="${surveyUrl('', { username: creator.username, slug })}" aria-label="View survey: ${name}">${icon('view')}View<span class="hidden"> survey</span></a>
${may('Edit') && html`<form method="post" action="${LIST}${id}/duplicate/">${fields}<button class="quiet small"${labelFor(t('Duplicate'))}>${icon('copy')}Duplicate</button></form>`}
${may('Owner') && html`<a class="button quiet danger small" href="${LIST}${id}/delete/"${labelFor(t('Delete'))}>${icon('delete')}Delete…</a>`}</div></li>`
}

/** Renders links to the previous and next page of the list. */
export function pagerView(at: {
  number: number
  last: number
  search: string | undefined
  tag: string | undefined
}): Part {
  const { number, last, search, tag } = at
  if (last < 2) return null
  return html`<nav aria-label="Pages" class="pager">${number > 1 && html`<a href="${listPath({ search, tag, page: number - 1 })}" rel="prev">Newer</a>`}
<span class="soft">Page ${number} of ${last}</span>
${number < last && html`<a href="${listPath({ search, tag, page: number + 1 })}" rel="next">Older</a>`}</nav>`
}
