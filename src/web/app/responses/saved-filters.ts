import { detail } from '../../../domain/error-details.ts'
import { problems } from '../../../domain/problem.ts'
import { predefinedFilters } from '../../../domain/response/filter/named-filter.ts'
import { listFilters, removeFilter, renameFilter, saveFilter } from '../../../domain/response/filter/saved-filters.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { conditionTexts, filterName } from '../../filter/chips.ts'
import { pathOf } from '../../filter/filter-page.ts'
import { alert, errorSentence, type FieldErrorTexts, field } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { listSearch, type ResponsesRequest, readResponsesRequest } from './frame.ts'

/** Maximum number of saved filters on a page. */
export const MAX_FILTERS = 100

/** Renders the form that saves the conditions in the URL as a filter. Renders nothing if there are no conditions. */
export const saveFilterForm = (page: ResponsesRequest): Part =>
  page.may('Correct') &&
  page.listQuery.conditions.length > 0 &&
  html`<details class="fold"><summary>Save as filter</summary>${nameForm(page)}</details>`

const nameForm = (page: ResponsesRequest, name = '', errors?: FieldErrorTexts): Html =>
  html`<form method="post" action="${page.listPath}filters/${listSearch(page)}" class="card">
    ${csrfField(page.csrf)}
    ${field({ name: 'name', label: t('Name'), value: name, required: true, errors })}
    <button class="primary small">Save</button>
  </form>`

/** Returns a query with the conditions in the URL and the conditions of the saved filter that the URL names. */
async function combinedQuery({ listQuery, context, survey }: ResponsesRequest): Promise<string> {
  const { filter, conditions } = listQuery
  if (filter === undefined) return conditions.join('&')
  if (filter === 'completed') return ['_completed=1', ...conditions].join('&')
  const { filters } = await listFilters(context, survey.id, { offset: 0, limit: MAX_FILTERS })
  const base = filters.find(({ name }) => name === filter)
  if (predefinedFilters.has(filter) || !base)
    throw problems.invalidField('name', 'invalid_filter', {}, detail('included_filter', { value: filterName(filter) }))
  return [base.query, ...conditions].join('&')
}

/** Saves the conditions in the URL as a filter, and applies the filter. */
export async function createSavedFilter(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const { form, survey } = page
  const name = formValue(form, 'name') ?? ''
  return formPage(request, {
    fields: ['name'],
    act: async (context) => saveFilter(context, survey.id, { name, query: await combinedQuery(page) }),
    view: ({ errors, general }) =>
      request.render({
        title: t('Save filter'),
        beforeHeading: backLink(pathOf(page), t('All responses')),
        content: html`${alert(general)}${nameForm(page, name, errors)}`,
      }),
    done: (saved) => ({
      redirect: pathOf(page, { conditions: [], filter: saved.name }),
      flash: t('Filter “{name}” saved.', { name: saved.name }),
    }),
  })
}

/** Lists the saved filters, with forms that rename and delete them. */
export const showSavedFilters = async (request: SurveyRequest): Promise<PageResult> =>
  filtersPage(await readResponsesRequest(request))

async function filtersPage(page: ResponsesRequest, rejected?: { name: string; text: string }): Promise<PageResult> {
  const { context, survey, listPath, csrf } = page
  const { filters } = await listFilters(context, survey.id, { offset: 0, limit: MAX_FILTERS })
  const row = ({ name, query }: { name: string; query: string }, index: number) => html`<li class="card">
    <h2><a href="${listPath}?${String(new URLSearchParams({ filter: name }))}">${name}</a></h2>
    <p class="soft">${filterText(page, query)}</p>
    ${rejected?.name === name && alert(rejected.text)}
    <div class="row-actions">
      <form method="post" action="${listPath}filters/rename/" class="naming">
        ${csrfField(csrf)}
        <input type="hidden" name="name" value="${name}">
        <label for="next-${index}" class="hidden">New name for ${name}</label>
        <input class="box" id="next-${index}" name="next" value="${name}" maxlength="100" required>
        <button class="small" aria-label="Rename ${name}">Rename</button>
      </form>
      <form method="post" action="${listPath}filters/delete/">
        ${csrfField(csrf)}
        <input type="hidden" name="name" value="${name}">
        <button class="danger small" aria-label="Delete ${name}">Delete</button>
      </form>
    </div>
  </li>`
  return page.render({
    title: t('Saved filters'),
    beforeHeading: backLink(listPath, t('All responses')),
    content:
      filters.length > 0
        ? html`<ul class="cards">${filters.map(row)}</ul>`
        : html`<p class="card">No saved filters yet. Filter the responses, then select “Save as filter”.</p>`,
  })
}

const filterText = ({ snapshot, textContext }: ResponsesRequest, query: string): string =>
  conditionTexts(snapshot, query, textContext).join(' · ')

export async function renameSavedFilter(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const name = formValue(page.form, 'name') ?? ''
  const next = formValue(page.form, 'next') ?? ''
  return formPage(request, {
    fields: ['name'],
    act: (context) => renameFilter(context, page.survey.id, name, next),
    view: ({ errors, general }) =>
      filtersPage(page, { name, text: errorSentence(t('Name'), errors.get('name') ?? general ?? '') }),
    done: () => ({
      redirect: `${page.listPath}filters/`,
      flash: t('Filter renamed to “{value}”.', { value: next.trim() }),
    }),
  })
}

/**
 * Deletes a saved filter. The message on the next page has a button that undoes the deletion by saving the filter
 * again.
 * @throws {Problem} `filter_not_found`
 */
export async function removeSavedFilter(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const { survey, listPath, form } = page
  const name = formValue(form, 'name') ?? ''
  const { filters } = await listFilters(page.context, survey.id, { offset: 0, limit: MAX_FILTERS })
  await request.write((context) => removeFilter(context, survey.id, name))
  const query = filters.find((filter) => filter.name === name)?.query
  const undo = query === undefined ? undefined : { action: `${listPath}filters/?${query}`, fields: { name } }
  request.flash(t('Filter “{name}” deleted.', { name }), undo)
  return { redirect: `${listPath}filters/` }
}
