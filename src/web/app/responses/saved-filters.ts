import { problems } from '../../../domain/problem.ts'
import { partsOf, readCondition } from '../../../domain/response/filter/filter.ts'
import { predefinedFilters } from '../../../domain/response/filter/named-filter.ts'
import { listFilters, removeFilter, renameFilter, saveFilter } from '../../../domain/response/filter/saved-filters.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { alert, type FieldErrorTexts, field, fieldErrorsOf } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { filterName } from './chips.ts'
import { subjectNamed } from './filter-fields.ts'
import { aboutResponses, type ResponsesRequest } from './frame.ts'
import { fromStart, type ListQuery, readAsked, searchOf } from './list-query.ts'
import { conditionText } from './text-context.ts'

const MAX_FILTERS = 100

/** Keeps the conditions in force under a name; nothing where there are none. */
export const saveForm = ({ top, asked, csrf }: ResponsesRequest): Part =>
  asked.conditions.length > 0 &&
  html`<details class="fold"><summary>Save as filter</summary>${namingForm(top, asked, csrf)}</details>`

const namingForm = (top: string, asked: ListQuery, csrf: string, name = '', errors?: FieldErrorTexts): Html =>
  html`<form method="post" action="${top}filters/${searchOf(fromStart(asked))}" class="card">${csrfField(csrf)}${field({ name: 'name', label: 'Name', value: name, required: true, ...(errors && { errors }) })}<button class="primary small">Save</button></form>`

/** The query of a filter that is added to: what it asks for as conditions. */
async function queryOf(request: ResponsesRequest): Promise<string> {
  const { asked, context, survey } = request
  const { filter, conditions } = asked
  if (filter === undefined) return conditions.join('&')
  if (filter === 'completed') return ['_completed=1', ...conditions].join('&')
  const { filters } = await listFilters(context, survey.id, { offset: 0, limit: MAX_FILTERS })
  const base = filters.find(({ name }) => name === filter)
  if (predefinedFilters.has(filter) || !base)
    throw problems.invalidField(
      'name',
      `cannot be saved: the filter “${filterName(filter)}” cannot be combined with others`,
    )
  return [base.query, ...conditions].join('&')
}

/** Saves the conditions of the address, and shows what they find under their new name. */
export async function saveResponseFilter(request: SurveyRequest): Promise<PageResult> {
  const about = await aboutResponses(request)
  const { asked, form, top, survey, csrf } = about
  const name = formValue(form, 'name') ?? ''
  try {
    const query = await queryOf(about)
    const saved = await request.write((context) => saveFilter(context, survey.id, { name, query }))
    request.flash(`Filter “${saved.name}” saved.`)
    return { redirect: `${top}${searchOf(fromStart({ ...asked, conditions: [], filter: saved.name }))}` }
  } catch (error) {
    const { errors, general } = fieldErrorsOf(request.toProblem(error), ['name'])
    const content = html`${alert(general)}${namingForm(top, asked, csrf, name, errors)}<p><a href="${top}${searchOf(fromStart(asked))}">Back to responses</a></p>`
    return request.render({ title: 'Save filter', content }, 422)
  }
}

/** The saved filters, to rename and to delete. */
export const showFilters = async (request: SurveyRequest): Promise<PageResult> =>
  filtersPage(await aboutResponses(request))

async function filtersPage(about: ResponsesRequest, refused?: { name: string; text: string }): Promise<PageResult> {
  const { context, survey, top, csrf } = about
  const { filters } = await listFilters(context, survey.id, { offset: 0, limit: MAX_FILTERS })
  const row = (
    { name, query }: { name: string; query: string },
    index: number,
  ) => html`<li class="card"><h2><a href="${top}${searchOf(readAsked(new URLSearchParams({ filter: name }).toString()))}">${name}</a></h2>
<p class="soft">${explained(about, query)}</p>
${refused?.name === name && alert(refused.text)}
<div class="does"><form method="post" action="${top}filters/rename/" class="naming">${csrfField(csrf)}<input type="hidden" name="name" value="${name}"><label for="next-${index}" class="hidden">New name for ${name}</label><input class="box" id="next-${index}" name="next" value="${name}" maxlength="100" required><button class="small" aria-label="Rename ${name}">Rename</button></form>
<a class="button plain small" href="${top}filters/delete/?${String(new URLSearchParams({ name }))}" aria-label="Delete ${name}">Delete…</a></div></li>`
  return about.render(
    {
      title: 'Saved filters',
      action: html`<a class="button plain small" href="${top}">Back to responses</a>`,
      content:
        filters.length > 0
          ? html`<ul class="cards">${filters.map(row)}</ul>`
          : html`<p class="card">No saved filters yet. Filter the responses, then select “Save as filter”.</p>`,
    },
    refused ? 422 : 200,
  )
}

/** A saved query in words. */
const explained = ({ snapshot, telling }: ResponsesRequest, query: string): string =>
  partsOf(query)
    .map((part) => readCondition(snapshot.questionnaire, part))
    .map((read) => conditionText(read, 'fault' in read ? undefined : subjectNamed(snapshot, read.name, telling)))
    .join(' · ')

export async function renameResponseFilter(request: SurveyRequest): Promise<PageResult> {
  const about = await aboutResponses(request)
  const name = formValue(about.form, 'name') ?? ''
  const next = formValue(about.form, 'next') ?? ''
  try {
    await request.write((context) => renameFilter(context, about.survey.id, name, next))
  } catch (error) {
    const { errors, general } = fieldErrorsOf(request.toProblem(error), ['name'])
    return filtersPage(about, { name, text: errors.get('name') ?? general ?? '' })
  }
  request.flash(`Filter renamed to “${next.trim()}”.`)
  return { redirect: `${about.top}filters/` }
}

/** Asks before programs that use it get an error. @throws {Problem} `filter_not_found` */
export async function askToDeleteFilter(request: SurveyRequest): Promise<PageResult> {
  const about = await aboutResponses(request)
  const { context, survey, top } = about
  const { filters } = await listFilters(context, survey.id, { offset: 0, limit: MAX_FILTERS })
  const found = filters.find(({ name }) => name === request.query.get('name'))
  if (!found) throw problems.filterNotFound()
  return confirmPage(request, {
    title: `Delete filter “${found.name}”?`,
    text: `API requests that use this filter will fail. Filter: ${explained(about, found.query)}.`,
    button: 'Delete filter',
    action: `${top}filters/delete/`,
    fields: { name: found.name },
    cancel: { label: 'Cancel', path: `${top}filters/` },
  })
}

export async function deleteResponseFilter(request: SurveyRequest): Promise<PageResult> {
  const name = formValue(request.form, 'name') ?? ''
  await request.write((context) => removeFilter(context, request.survey.id, name))
  request.flash(`Filter “${name}” deleted.`)
  return { redirect: `${request.root}responses/filters/` }
}
