import type { StoredResponse } from '../../../domain/response/filter/stored-response.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { type Column, cellView } from './columns.ts'
import type { ResponsesRequest } from './frame.ts'
import { searchOf } from './list-query.ts'

/**
 * The responses of a stretch, a row each, to be opened or chosen. It scrolls by itself where it is wider than its place;
 * on a phone each row is a card, and the roles say that it is a table all the same.
 */
export function tableView(
  { top, asked, csrf }: ResponsesRequest,
  columns: readonly Column[],
  rows: readonly StoredResponse[],
): Html {
  const search = searchOf({ ...asked, below: undefined, above: undefined, pick: undefined })
  const line = (
    row: StoredResponse,
  ) => html`<tr role="row"><td role="cell" class="pick"><input type="checkbox" name="id" value="${row.id}" aria-label="Select response ${row.id}"></td>
<th scope="row" role="rowheader"><a href="${top}${row.id}/${search}">${row.id}</a></th>${columns.map((column) => cellView(column, row))}</tr>`
  return html`<form method="post" action="${top}delete/${search}">${csrfField(csrf)}
<div class="scroll" role="region" aria-label="Responses" tabindex="0"><table class="sheet" role="table"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader" class="pick"><span class="hidden">Select</span></th><th scope="col" role="columnheader">No.</th>${columns.map(({ title, lang }) => html`<th scope="col" role="columnheader"${lang && html` lang="${lang}"`}>${title}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(line)}</tbody></table></div>
<div class="undertable"><div class="doing"><button class="danger small">Delete selected…</button><button type="button" class="quiet small" data-choose hidden>Select all on this page</button></div></div></form>`
}

/** Links to what lies before and after, in the order of the list. */
export function stretchPager(
  { top, asked }: ResponsesRequest,
  rows: readonly StoredResponse[],
  { newer, older }: { newer: boolean; older: boolean },
): Part {
  const ids = rows.map(({ id }) => id)
  const at = (place: { above?: number; below?: number }) =>
    `${top}${searchOf({ ...asked, above: undefined, below: undefined, pick: undefined, ...place })}`
  const isStart = asked.above === undefined && asked.below === undefined
  const newerLink =
    newer &&
    ids.length > 0 &&
    html`<a href="${at({ above: Math.max(...ids) })}" rel="${asked.oldestFirst ? 'next' : 'prev'}">Newer</a>`
  const olderLink =
    older &&
    ids.length > 0 &&
    html`<a href="${at({ below: Math.min(...ids) })}" rel="${asked.oldestFirst ? 'prev' : 'next'}">Older</a>`
  const start = !isStart && html`<a href="${at({})}">${asked.oldestFirst ? 'Oldest' : 'Newest'}</a>`
  if (!newerLink && !olderLink && !start) return null
  return html`<nav aria-label="Pages" class="pager">${start}${asked.oldestFirst ? olderLink : newerLink}${asked.oldestFirst ? newerLink : olderLink}</nav>`
}
