import { eraseDeleted, listTrash, restoreResponse } from '../../../domain/response/edit/trash.ts'
import type { Answers } from '../../../domain/structure/questionnaire.ts'
import { TRASH_DAYS } from '../../../domain/survey/trash.ts'
import { html, type Part } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { csrfField } from '../../csrf.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { formPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import { pluralize, timeTag } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { answerableQuestions, answerLine } from './columns.ts'
import { readResponsesRequest } from './frame.ts'

const PAGE_SIZE = 50

/** Lists the deleted responses of a survey that can still be restored. */
export async function showTrash(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, snapshot, listPath, csrf, textContext, query } = await readResponsesRequest(request)
  const number = Number(query.get('page')) || 1
  const slice = pageOf({ page: number, pageSize: PAGE_SIZE, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, responses } = await listTrash(context, survey.id, slice)
  const [question] = answerableQuestions(snapshot)
  const rows = responses.map(({ row, deletedAt, deletedBy, reason, erasedAt }) => {
    const cells: readonly [string, Part][] = [
      [t('Answer'), question && answerLine(question, row.answers as Answers, textContext)],
      [t('Deleted'), timeTag(deletedAt)],
      [t('By'), deletedBy?.username],
      [t('Reason'), reason],
      [t('Will be erased'), timeTag(erasedAt)],
    ]
    const cellView = ([title, content]: readonly [string, Part]) =>
      html`<td role="cell" data-title="${title}"${!content && html` class="none"`}>${content}</td>`
    return html`<tr role="row">
      <th scope="row" role="rowheader">${row.number}</th>
      ${cells.map(cellView)}
      <td role="cell">
        ${
          request.may('Delete') &&
          html`<form method="post" action="${listPath}trash/${row.id}/restore/">
            ${csrfField(csrf)}
            <button class="small">Restore</button>
          </form>`
        }
      </td>
    </tr>`
  })
  const headings = [t('Answer'), t('Deleted'), t('By'), t('Reason'), t('Will be erased')].map(
    (title) => html`<th scope="col" role="columnheader">${title}</th>`,
  )
  const link = (page: number, label: string, rel: string) => html`<a href="?page=${page}" rel="${rel}">${label}</a>`
  return request.render({
    title: t('Trash'),
    beforeHeading: backLink(listPath, t('All responses')),
    content: html`
      <p>
        ${t('Deleted responses stay here for {days} days. Then they are erased, with their files.', {
          days: TRASH_DAYS,
        })}
      </p>
      ${
        total === 0
          ? html`<p class="card">The trash is empty.</p>`
          : html`
            <div class="scroll below" role="region" aria-label="Trash" tabindex="0">
              <table class="sheet" role="table">
                <thead role="rowgroup">
                  <tr role="row">
                    <th scope="col" role="columnheader">No.</th>
                    ${headings}
                    <th scope="col" role="columnheader"><span class="hidden">Restore</span></th>
                  </tr>
                </thead>
                <tbody role="rowgroup">${rows}</tbody>
              </table>
            </div>
            <nav aria-label="Pages" class="pager">
              ${number > 1 && link(number - 1, t('Newer'), 'prev')}
              ${slice.offset + rows.length < total && link(number + 1, t('Older'), 'next')}
            </nav>
            ${
              request.may('Delete') &&
              html`<p class="below">
                <a class="button danger small" href="${listPath}trash/empty/">Empty the trash…</a>
              </p>`
            }`
      }`,
  })
}

/** Restores a response from the trash. */
export async function restoreFromTrash(request: SurveyRequest): Promise<PageResult> {
  const { listPath } = await readResponsesRequest(request)
  const id = parseId(request.params.response)
  return formPage(request, {
    fields: [],
    act: (context) => restoreResponse(context, request.survey.id, id),
    view: ({ general }) => {
      request.flash(general ?? '')
      return { redirect: `${listPath}trash/` }
    },
    done: () => ({ redirect: `${listPath}${id}/`, flash: t('The response has been restored.') }),
  })
}

/** Asks for confirmation before the trash is emptied. */
export async function confirmEmptyTrash(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, listPath } = await readResponsesRequest(request)
  const { total } = await listTrash(context, survey.id, { offset: 0, limit: 0 })
  return confirmPage(request, {
    title: t('Empty the trash?'),
    beforeHeading: backLink(`${listPath}trash/`, t('Trash')),
    text: t('This permanently deletes {responses} with their files and history. You cannot undo this.', {
      responses: pluralize(total, 'response'),
    }),
    button: t('Empty the trash'),
    cancel: { label: t('Cancel'), path: `${listPath}trash/` },
  })
}

export async function emptyTrash(request: SurveyRequest): Promise<PageResult> {
  const { listPath } = await readResponsesRequest(request)
  const erased = await request.write((context) => eraseDeleted(context, request.survey.id))
  request.flash(t('{responses} erased.', { responses: pluralize(erased, 'response') }))
  return { redirect: `${listPath}trash/` }
}
