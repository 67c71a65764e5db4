import type { StoredResponse } from '../../../domain/response/filter/stored-response.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { pathOf } from '../../filter/filter-page.ts'
import { t } from '../../i18n/t.ts'
import { type Column, cellView } from './columns.ts'
import { listSearch, type ResponsesRequest } from './frame.ts'

/**
 * Renders a page of responses. On phones, CSS shows each row as a card. The explicit ARIA roles are needed because
 * browsers would otherwise no longer tell screen readers that this is a table.
 */
export function tableView(page: ResponsesRequest, columns: readonly Column[], rows: readonly StoredResponse[]): Html {
  const { listPath, csrf } = page
  const search = listSearch(page)
  const rowView = (
    row: StoredResponse,
  ) => html`<tr role="row"><td role="cell" class="pick"><input type="checkbox" name="id" value="${row.id}" aria-label="Select response ${row.number}"></td>
<th scope="row" role="rowheader"><a href="${listPath}${row.id}/${search}">${row.number}</a></th>${columns.map((column) => cellView(column, row))}</tr>`
  return html`<form method="post" action="${listPath}delete/${search}">${csrfField(csrf)}
<div class="scroll" role="region" aria-label="Responses" tabindex="0"><table class="sheet" role="table"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader" class="pick"><span class="hidden">Select</span></th><th scope="col" role="columnheader">No.</th>${columns.map(({ title, lang }) => html`<th scope="col" role="columnheader"${lang && html` lang="${lang}"`}>${title}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(rowView)}</tbody></table></div>
<div class="table-actions"><div class="button-row"><button class="danger small">Delete selected…</button><button type="button" class="quiet small" data-choose hidden>Select all on this page</button></div></div></form>`
}

/** Renders links to the previous and next page of the list. */
export function pagerView(
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
  return html`<nav aria-label="Pages" class="pager">${firstLink}${oldestFirst ? olderLink : newerLink}${oldestFirst ? newerLink : olderLink}</nav>`
}
