import type { Filter } from '../../../domain/response/filter/filter.ts'
import { listFilters } from '../../../domain/response/filter/saved-filters.ts'
import { browseResponses, countMatching, feedState } from '../../../domain/response/list/browse.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { applyForm } from '../../filter/apply-form.ts'
import { filterChips, quickFilters } from '../../filter/chips.ts'
import { INVALID_FILTER, resolveConditions } from '../../filter/conditions.ts'
import { ANY_STATUS, filterForm } from '../../filter/form.ts'
import { alert } from '../../forms/field.ts'
import { t } from '../../i18n/t.ts'
import { formatNumber, pluralize } from '../../layout/format.ts'
import { icon } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { columnsOf } from './columns.ts'
import { columnsForm } from './columns-form.ts'
import { emptyView } from './empty.ts'
import { listSearch, type ResponsesRequest, readResponsesRequest } from './frame.ts'
import { newResponsesLink } from './new-count.ts'
import { MAX_FILTERS, saveFilterForm } from './saved-filters.ts'
import { pagerView, tableView } from './table.ts'

const PAGE_SIZE = 50

/** Lists the responses to a survey that match the filter in the URL. */
export async function showResponses(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const { context, snapshot, listQuery, listPath, survey } = page
  const conditions = await resolveConditions(context, snapshot, listQuery)
  const saved = await listFilters(context, survey.id, { offset: 0, limit: MAX_FILTERS })
  const list = conditions.filters && (await findResponses(page, conditions.filters))
  const isEmpty = list?.total === 0
  const filter = html`${quickFilters(page, saved.filters, `${listPath}filters/`)}${filterForm(page, conditions, ANY_STATUS())}${
    !conditions.filters && alert(INVALID_FILTER())
  }${filterChips(page, conditions)}${conditions.filters && saveFilterForm(page)}`
  return request.render(
    {
      title: t('Responses'),
      action: html`<div class="button-row">${!isEmpty && html`<a class="button small" href="${listPath}download/${listSearch(page)}">${icon('download')}Download</a><a class="button plain small" href="${listPath}deletion/">Delete</a>`}<a class="button plain small" href="${listPath}import/">Import</a></div>`,
      scripts: ['responses.js'],
      content: isEmpty ? emptyView(page, list.seq) : html`${filter}${list?.view}`,
    },
    conditions.filters ? 200 : 422,
  )
}

/** Redirects a submitted form to the URL of the list with the filter, columns and order that the form contains. */
export const applyListForm = async ({ query, root }: SurveyRequest): Promise<PageResult> =>
  applyForm(`${root}responses/`, query)

interface ResponseList {
  /** Number of all responses to the survey. */
  total: number
  /** The last number of the survey's change feed at the time when the responses were counted. */
  seq: number
  view: Html
}

async function findResponses(page: ResponsesRequest, filters: readonly Filter[]): Promise<ResponseList> {
  const { context, snapshot, listQuery, textContext } = page
  const { oldestFirst, below, above } = listQuery
  const { seq, responses: total } = await feedState(context, snapshot)
  const [matching, { rows, ...beyond }] = await Promise.all([
    filters.length > 0 ? countMatching(context, snapshot, filters) : total,
    browseResponses(context, snapshot, { filters, newestFirst: !oldestFirst, below, above, limit: PAGE_SIZE }),
  ])
  const columns = columnsOf(snapshot, listQuery.columns, textContext)
  const count = html`<p class="soft" role="status">${countText(total, matching, filters.length > 0)}</p>`
  const view = html`<div class="line tally">${count}${newResponsesLink(page, seq)}</div>${columnsForm(page, columns)}${
    rows.length > 0 ? tableView(page, columns.shown, rows) : noRowsView(matching)
  }${pagerView(page, rows, beyond)}`
  return { total, seq, view }
}

const noRowsView = (matching: number): Part =>
  html`<p class="card">${matching === 0 ? t('No responses match.') : t('No more responses.')}</p>`

const countText = (total: number, matching: number, isFiltered: boolean): string =>
  isFiltered
    ? matching === 1
      ? t('1 of {responses} matches', { responses: pluralize(total, 'response') })
      : t('{matching} of {responses} match', {
          matching: formatNumber(matching),
          responses: pluralize(total, 'response'),
        })
    : pluralize(total, 'response')
