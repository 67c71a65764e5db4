import type { Filter } from '../../../domain/response/filter/filter.ts'
import { listFilters } from '../../../domain/response/filter/saved-filters.ts'
import { browseResponses, countMatching, feedState } from '../../../domain/response/list/browse.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { alert } from '../../forms/field.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { chipsView, namedView } from './chips.ts'
import { columnsOf } from './columns.ts'
import { conditionsOf } from './conditions.ts'
import { emptyView } from './empty.ts'
import { subjectNamed, subjectsOf } from './filter-fields.ts'
import { conditionForm, simpleForm } from './filter-rows.ts'
import { aboutResponses, type ResponsesRequest } from './frame.ts'
import { searchOf } from './list-query.ts'
import { liveView } from './new-count.ts'
import { saveForm } from './saved-filters.ts'
import { stretchPager, tableView } from './table.ts'
import { viewForm } from './view-form.ts'

const SIZE = 50
/** Most saved filters that the page offers. */
const MOST_FILTERS = 100

/** The responses to a survey, fifty at a time, by what the address asks for. */
export async function showResponses(request: SurveyRequest): Promise<PageResult> {
  const about = await aboutResponses(request)
  const { context, snapshot, asked, telling, top, survey } = about
  const conditions = await conditionsOf(context, snapshot, asked)
  const saved = await listFilters(context, survey.id, { offset: 0, limit: MOST_FILTERS })
  const subjects = subjectsOf(snapshot, telling)
  const named = (name: string) => subjectNamed(snapshot, name, telling)
  const picked = asked.pick === undefined ? undefined : named(asked.pick)
  const form = { root: top, snapshot, asked, conditions: conditions.list, subjects }
  const found = conditions.filters && (await findings(about, conditions.filters))
  const isEmpty = found?.all === 0
  const sift = html`${namedView(top, asked, saved.filters)}${simpleForm(form)}${picked && conditionForm(form, picked)}${
    !conditions.filters && alert('One of the filters is invalid. Edit or remove it.')
  }${chipsView(top, asked, conditions, named)}${conditions.filters && saveForm(about)}`
  return request.render(
    {
      title: 'Responses',
      action: html`<div class="doing">${!isEmpty && html`<a class="button small" href="${top}download/${searchOf({ ...asked, pick: undefined })}">Download</a>`}<a class="button plain small" href="${top}import/">Import</a></div>`,
      scripts: ['responses.js'],
      content: isEmpty ? emptyView(about, found.seq) : html`${sift}${found?.view}`,
    },
    conditions.filters ? 200 : 422,
  )
}

interface Findings {
  all: number
  seq: number
  view: Html
}

async function findings(about: ResponsesRequest, filters: readonly Filter[]): Promise<Findings> {
  const { context, snapshot, asked, telling } = about
  const { oldestFirst, below, above } = asked
  const { seq, responses: all } = await feedState(context, snapshot)
  const [matching, { rows, ...beyond }] = await Promise.all([
    filters.length > 0 ? countMatching(context, snapshot, filters) : all,
    browseResponses(context, snapshot, { filters, newestFirst: !oldestFirst, below, above, limit: SIZE }),
  ])
  const columns = columnsOf(snapshot, asked.columns, telling)
  const count = html`<p class="soft" role="status">${countText(all, matching, filters.length > 0)}</p>`
  const view = html`<div class="line tally">${count}${liveView(about, seq)}</div>${viewForm(about, columns)}${
    rows.length > 0 ? tableView(about, columns.shown, rows) : nothingView(matching)
  }${stretchPager(about, rows, beyond)}`
  return { all, seq, view }
}

const number = (count: number): string => count.toLocaleString('en')

const nothingView = (matching: number): Part =>
  html`<p class="card">${matching === 0 ? 'No responses match.' : 'No more responses.'}</p>`

function countText(all: number, matching: number, isFiltered: boolean): string {
  const total = all === 1 ? '1 response' : `${number(all)} responses`
  return isFiltered ? `${number(matching)} of ${total} ${matching === 1 ? 'matches' : 'match'}` : total
}
