import { deleteResponse, deleteResponses } from '../../../domain/response/edit/remove.ts'
import { findResponse, findResponses } from '../../../domain/response/list/queries.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { formValue, formValues } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { listSearch, readResponsesRequest } from './frame.ts'

/** Asks for confirmation before a response is deleted. */
export async function confirmDeleteResponse(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const { row } = await findResponse(page.context, request.survey.id, parseId(request.params.response))
  const path = `${page.listPath}${row.id}/`
  return confirmPage(request, {
    title: t('Delete response {number}?', { number: row.number }),
    beforeHeading: backLink(path + listSearch(page), t('Response {number}', { number: row.number })),
    text: t('This permanently deletes the response and its answers. You cannot undo this.'),
    button: t('Delete response'),
    action: `${path}delete/${listSearch(page)}`,
    cancel: { label: t('Cancel'), path: path + listSearch(page) },
  })
}

export async function removeResponse(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const { row } = await findResponse(page.context, request.survey.id, parseId(request.params.response))
  await request.write((context) => deleteResponse(context, request.survey.id, row.id))
  request.flash(t('Response {number} deleted.', { number: row.number }))
  return { redirect: page.listPath + listSearch(page) }
}

/** Deletes the responses selected in the list, after a confirmation. */
export async function removeSelectedResponses(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const ids = [...new Set(formValues(request.form, 'id').map(parseId))].filter((id) => id > 0)
  const list = page.listPath + listSearch(page)
  if (ids.length === 0) {
    request.flash(t('Select at least one response.'))
    return { redirect: list }
  }
  const responses = pluralize(ids.length, 'response')
  if (formValue(request.form, 'sure') === 'yes') {
    await request.write((context) => deleteResponses(context, request.survey.id, ids))
    request.flash(t('{responses} deleted.', { responses }))
    return { redirect: list }
  }
  const rows = await findResponses(page.context, page.snapshot, ids)
  const numbers = [...rows.values()].map(({ number }) => number).sort((a, b) => a - b)
  return confirmPage(request, {
    title: t('Delete {responses}?', { responses }),
    beforeHeading: backLink(list, t('All responses')),
    text:
      ids.length === 1
        ? t('This permanently deletes response {number}. You cannot undo this.', { number: numbers[0] })
        : t('This permanently deletes responses {numbers}. You cannot undo this.', { numbers: numbers.join(', ') }),
    button: ids.length === 1 ? t('Delete response') : t('Delete responses'),
    action: `${page.listPath}delete/${listSearch(page)}`,
    fields: { sure: 'yes', id: ids.map(String) },
    cancel: { label: t('Cancel'), path: list },
  })
}
