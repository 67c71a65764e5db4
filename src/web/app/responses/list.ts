import type { Filter } from '../../../domain/response/filter/filter.ts'
import { listFilters } from '../../../domain/response/filter/saved-filters.ts'
import type { StoredResponse } from '../../../domain/response/filter/where.ts'
import { browseResponses, countMatching, feedState } from '../../../domain/response/list/browse.ts'
import type { Questionnaire } from '../../../domain/structure/questionnaire.ts'
import { surveyUrl } from '../../../domain/survey-address.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { filterChips, savedFiltersMenu } from '../../filter/chips.ts'
import { pathOf } from '../../filter/filter-page.ts'
import { ANY_STATUS, applyForm, filterBar, option, pageForm } from '../../filter/form.ts'
import { INVALID_FILTER, resolveConditions } from '../../filter/list-query.ts'
import { alert } from '../../forms/field.ts'
import { t } from '../../i18n/t.ts'
import { formatNumber, pluralize } from '../../layout/format.ts'
import { icon, moreMenu } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { type Column, cellView, columnsOf } from './columns.ts'
import { listSearch, newResponsesLink, type ResponsesRequest, readResponsesRequest } from './frame.ts'
import { MAX_FILTERS, saveFilterForm } from './saved-filters.ts'

const PAGE_SIZE = 50

/** Lists the responses to a survey that match the filter in the URL. */
export async function showResponses(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const { context, snapshot, listQuery, listPath, survey } = page
  const conditions = await resolveConditions(context, snapshot, listQuery)
  const saved = await listFilters(context, survey.id, { offset: 0, limit: MAX_FILTERS })
  const list = conditions.filters && (await findResponses(page, conditions.filters))
  const isEmpty = list?.total === 0
  const filter = html`
    ${filterBar(page, conditions, ANY_STATUS(), savedFiltersMenu(page, saved.filters, `${listPath}filters/`))}
    ${!conditions.filters && alert(INVALID_FILTER())}
    ${filterChips(page, conditions)}
    ${conditions.filters && saveFilterForm(page)}`
  return request.render(
    {
      title: t('Responses'),
      action: html`
        ${
          !isEmpty &&
          request.may('Export') &&
          html`<a class="button small" href="${listPath}download/${listSearch(page)}">
            ${icon('download')}Download
          </a>`
        }
        ${moreMenu(
          t('More actions'),
          html`
            ${
              request.may('Correct') &&
              html`
                <a class="button quiet small" href="${listPath}import/">Import</a>
                <a class="button quiet small" href="${listPath}sheets/">Type in paper sheets</a>`
            }
            ${!isEmpty && html`<a class="button quiet small" href="${listPath}coding/">Coding</a>`}
            <a class="button quiet small" href="${listPath}trash/">Trash</a>
            ${
              !isEmpty &&
              request.may('Delete') &&
              html`<a class="button quiet danger small" href="${listPath}deletion/">Delete…</a>`
            }`,
        )}`,
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
  // First the count, which says where the responses are that match.
  const matching = filters.length > 0 ? await countMatching(context, snapshot, filters) : total
  const window = { filters, newestFirst: !oldestFirst, below, above, limit: PAGE_SIZE }
  const { rows, ...beyond } = await browseResponses(context, snapshot, window)
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

/**
 * Renders a page of responses. On phones, CSS shows each row as a card. The explicit ARIA roles are needed because
 * browsers would otherwise no longer tell screen readers that this is a table.
 */
function tableView(page: ResponsesRequest, columns: readonly Column[], rows: readonly StoredResponse[]): Html {
  const { listPath, csrf } = page
  const search = listSearch(page)
  const rowView = (row: StoredResponse) => html`<tr role="row">
    <td role="cell" class="pick">
      <input type="checkbox" name="id" value="${row.id}" aria-label="Select response ${row.number}">
    </td>
    <th scope="row" role="rowheader"><a href="${listPath}${row.id}/${search}">${row.number}</a></th>
    ${columns.map((column) => cellView(column, row))}
  </tr>`
  return html`<form method="post" action="${listPath}delete/${search}">
    ${csrfField(csrf)}
    <div class="scroll" role="region" aria-label="Responses" tabindex="0">
      <table class="sheet" role="table">
        <thead role="rowgroup">
          <tr role="row">
            <th scope="col" role="columnheader" class="pick"><span class="hidden">Select</span></th>
            <th scope="col" role="columnheader">No.</th>
            ${columns.map(
              ({ title, lang }) =>
                html`<th scope="col" role="columnheader"${lang && html` lang="${lang}"`}>${title}</th>`,
            )}
          </tr>
        </thead>
        <tbody role="rowgroup">${rows.map(rowView)}</tbody>
      </table>
    </div>
    <div class="table-actions">
      <div class="button-row">
        ${page.may('Delete') && html`<button class="danger small">Delete selected…</button>`}
        <button type="button" class="quiet small" data-choose hidden>Select all on this page</button>
      </div>
    </div>
  </form>`
}

/** Renders links to the previous and next page of the list. */
function pagerView(
  page: ResponsesRequest,
  rows: readonly StoredResponse[],
  { newer, older }: { newer: boolean; older: boolean },
): Part {
  const { oldestFirst, above, below } = page.listQuery
  const ids = rows.map(({ id }) => id)
  const hasRows = ids.length > 0
  const newerLink =
    newer &&
    hasRows &&
    html`<a href="${pathOf(page, { above: Math.max(...ids) })}" rel="${oldestFirst ? 'next' : 'prev'}">Newer</a>`
  const olderLink =
    older &&
    hasRows &&
    html`<a href="${pathOf(page, { below: Math.min(...ids) })}" rel="${oldestFirst ? 'prev' : 'next'}">Older</a>`
  const isFirst = above === undefined && below === undefined
  const firstLink = !isFirst && html`<a href="${pathOf(page)}">${oldestFirst ? t('Oldest') : t('Newest')}</a>`
  if (!newerLink && !olderLink && !firstLink) return null
  return html`<nav aria-label="Pages" class="pager">
    ${firstLink}
    ${oldestFirst ? olderLink : newerLink}
    ${oldestFirst ? newerLink : olderLink}
  </nav>`
}

/** Renders the form for the columns, the language and the order of the list. */
function columnsForm(
  page: ResponsesRequest,
  { meta, questions, shown }: { meta: readonly Column[]; questions: readonly Column[]; shown: readonly Column[] },
): Html {
  const { listQuery, textContext } = page
  const isShown = new Set(shown.map(({ name }) => name))
  const checkbox = ({ name, title }: Column) =>
    html`<li>
      <label>
        <input type="checkbox" name="column" value="${name}"${isShown.has(name) && html` checked`}> <span>
          ${title}
        </span>
      </label>
    </li>`
  const { languages, defaultLanguage } = textContext.q
  const content = html`
    <fieldset class="boxes"><legend>Response details</legend><ul>${meta.map(checkbox)}</ul></fieldset>
    ${
      questions.length > 0 &&
      html`<fieldset class="boxes"><legend>Questions</legend><ul>${questions.map(checkbox)}</ul></fieldset>`
    }
    <div class="form-row">
      ${
        languages.length > 1 &&
        html`<div>
          <label for="language">Language of labels</label>
          <select class="box" id="language" name="language">
            ${languages.map(({ code, name }) =>
              option(code === defaultLanguage ? '' : code, name, code === textContext.language),
            )}
          </select>
        </div>`
      }
      <div>
        <label for="order">Order</label>
        <select class="box" id="order" name="order">
          ${option('', t('Newest first'), !listQuery.oldestFirst)}
          ${option('oldest', t('Oldest first'), listQuery.oldestFirst)}
        </select>
      </div>
      <button>Apply</button>
    </div>`
  return html`<details class="fold">
    <summary>Columns and order</summary>
    ${pageForm(page, 'view', html`class="card"`, content)}
  </details>`
}

/** Renders instructions for collecting the first response. */
function emptyView(page: ResponsesRequest, seq: number): Part {
  const { survey, snapshot, context } = page
  const { baseUrl } = context.services
  const link = surveyUrl(baseUrl, { username: snapshot.ownerUsername, slug: snapshot.slug })
  const address = `${baseUrl}/api/v3/surveys/${survey.id}/responses/`
  const command = `curl -u <API key>:<password> ${address} --data-urlencode ${sampleOf(snapshot.questionnaire)}`
  return html`<section class="card" aria-labelledby="none">
    <h2 id="none">No responses yet</h2>
    <p>
      ${
        survey.live
          ? t('Share the survey link, or open it to answer yourself:')
          : survey.unpublished
            ? t('The survey is not published. Publish it to collect responses with this link:')
            : t('The survey is closed. Open it to collect responses with this link:')
      } <a class="address" href="${link}">${link}</a>
    </p>
    <p class="below">Or submit a response with the API:</p>
    <pre class="sample" tabindex="0" role="region" aria-label="API request">${command}</pre>
    ${newResponsesLink(page, seq)}
  </section>`
}

/**
 * Returns a form parameter with a sample answer, quoted for a shell. If no question accepts a text or a single choice,
 * returns the parameter `_completed=0`.
 */
function sampleOf({ fields }: Questionnaire): string {
  const field = fields.find(({ type }) => type === 'string' || type === 'single')
  const sample = field ? `${field.key}=${field.type === 'single' ? 0 : '…'}` : '_completed=0'
  return `'${sample.replaceAll("'", "'\\''")}'`
}
