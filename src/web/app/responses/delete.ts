import { DELETE_BATCH_ROWS } from '../../../domain/delete-in-batches.ts'
import { deleteResponses } from '../../../domain/response/edit/remove.ts'
import {
  type DeletionConditions,
  deleteMatchingResponses,
  storesAddresses,
} from '../../../domain/response/edit/remove-matching.ts'
import { findResponse, findResponses } from '../../../domain/response/list/queries.ts'
import { TRASH_DAYS } from '../../../domain/survey/trash.ts'
import { html } from '../../../lib/html.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { alert, type FormErrors, field, fieldErrorsOf, utcValue, ZONE_PARAMETER, zoneField } from '../../forms/field.ts'
import { formValue, formValues } from '../../forms/form-fields.ts'
import { formPage, rejectedPage } from '../../forms/form-page.ts'
import { pageLocale, zoneName } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { formatNumber, pluralize } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { listSearch, type ResponsesRequest, readResponsesRequest } from './frame.ts'

/** Asks for confirmation before a response is deleted. */
export async function confirmDeleteResponse(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const { row } = await findResponse(page.context, request.survey.id, parseId(request.params.response))
  const path = `${page.listPath}${row.id}/`
  return confirmPage(request, {
    title: t('Delete response {number}?', { number: row.number }),
    beforeHeading: backLink(path + listSearch(page), t('Response {number}', { number: row.number })),
    text: t('The response moves to the trash, and is erased after {days} days.', { days: TRASH_DAYS }),
    button: t('Delete response'),
    action: `${path}delete/${listSearch(page)}`,
    cancel: { label: t('Cancel'), path: path + listSearch(page) },
  })
}

export async function removeResponse(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const { row } = await findResponse(page.context, request.survey.id, parseId(request.params.response))
  await request.write((context) => deleteResponses(context, request.survey.id, [row.id]))
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
        ? t('Response {number} moves to the trash, and is erased after {days} days.', {
            number: numbers[0],
            days: TRASH_DAYS,
          })
        : t('The responses {numbers} move to the trash, and are erased after {days} days.', {
            numbers: numbers.join(', '),
            days: TRASH_DAYS,
          }),
    button: ids.length === 1 ? t('Delete response') : t('Delete responses'),
    action: `${page.listPath}delete/${listSearch(page)}`,
    fields: { sure: 'yes', id: ids.map(String) },
    cancel: { label: t('Cancel'), path: list },
  })
}

/** The fields of the form. */
const FIELDS = ['created_from', 'created_to', 'network'] as const
type Values = Readonly<Record<(typeof FIELDS)[number], string>>

const readValues = (read: (name: string) => string | null | undefined): Values => {
  const value = (name: string) => read(name)?.trim() ?? ''
  return { created_from: value('created_from'), created_to: value('created_to'), network: value('network') }
}

const conditionsOf = ({ created_from, created_to, network }: Values): DeletionConditions => ({
  createdFrom: created_from ? utcMinute(created_from) : undefined,
  createdTo: created_to ? utcMinute(created_to) : undefined,
  network: network || undefined,
})

/** Returns a local time in UTC with the same precision, which is part of the condition. */
const utcMinute = (local: string): string => {
  const utc = utcValue(local)
  return utc === local || local.length < 16 ? local : `${utc.slice(0, local.length)}Z`
}

/** Shows the form for the conditions. If the address contains conditions, asks for confirmation instead. */
export async function confirmDeleteMatching(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const values = readValues((name) => request.query.get(name))
  return FIELDS.some((name) => request.query.has(name)) ? confirmation(page, values) : conditionsPage(page, values)
}

async function confirmation(page: ResponsesRequest, values: Values): Promise<PageResult> {
  let count: number
  try {
    ;({ count } = await deleteMatchingResponses(page.context, page.survey.id, conditionsOf(values), undefined))
  } catch (error) {
    return rejectedPage(conditionsPage(page, values, fieldErrorsOf(page.toProblem(error), FIELDS)))
  }
  if (count === 0)
    return rejectedPage(conditionsPage(page, values, { errors: new Map(), general: t('No responses match.') }))
  const responses = pluralize(Math.min(count, DELETE_BATCH_ROWS), 'response')
  return confirmPage(page, {
    title: t('Delete {responses}?', { responses }),
    beforeHeading: backLink(`${page.listPath}deletion/`, t('Delete responses')),
    text:
      count > DELETE_BATCH_ROWS
        ? t(
            'Matching responses: {matching}. The first {responses} move to the trash, and are erased after {days} days.',
            { matching: formatNumber(count), responses: formatNumber(DELETE_BATCH_ROWS), days: TRASH_DAYS },
          )
        : t('Matching responses: {matching}. They move to the trash, and are erased after {days} days.', {
            matching: formatNumber(count),
            days: TRASH_DAYS,
          }),
    button: t('Delete responses'),
    action: `${page.listPath}deletion/`,
    fields: { ...values, [ZONE_PARAMETER]: pageLocale().timeZone, expected: String(count) },
    cancel: { label: t('Cancel'), path: page.listPath },
  })
}

function conditionsPage(page: ResponsesRequest, values: Values, rejected?: FormErrors): PageResult {
  const errors = rejected && { errors: rejected.errors }
  const time = (name: 'created_from' | 'created_to', label: string, hint: string) =>
    field({ name, label, hint, type: 'datetime-local', value: values[name], ...errors })
  return page.render({
    title: t('Delete responses'),
    beforeHeading: backLink(page.listPath, t('All responses')),
    content: html`
      ${alert(rejected?.general)}
      <form method="get" action="${page.listPath}deletion/" class="card">
        ${zoneField()}
        <p>
          Deletes all responses of a period or a network, for example a flood of submissions by strangers. Before
          anything is deleted, you see how many responses match.
        </p>
        ${time('created_from', t('First saved from'), t('Date and time ({zone})', { zone: zoneName() }))}
        ${time(
          'created_to',
          t('First saved until'),
          t('Date and time ({zone}). This minute is included.', { zone: zoneName() }),
        )}
        ${
          storesAddresses(page.snapshot)
            ? field({
                name: 'network',
                label: t('IP address or network'),
                hint: t('Such as 203.0.113.7, 203.0.113.0/24 or 2001:db8:7::/48. Anonymous responses never match.'),
                value: values.network,
                ...errors,
              })
            : html`<p class="soft">
              The survey is anonymous and stores no IP addresses, so you can delete by time only. Times of anonymous
              responses are full hours.
            </p>`
        }
        <div class="actions"><button class="primary">Count responses</button></div>
      </form>`,
  })
}

/** Deletes the responses that meet the conditions, if their number has not changed since the confirmation. */
export async function removeMatching(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const values = readValues((name) => formValue(request.form, name))
  const expected = Number(formValue(request.form, 'expected') || Number.NaN)
  const conditions = new URLSearchParams({ ...values, [ZONE_PARAMETER]: pageLocale().timeZone })
  return formPage(request, {
    fields: FIELDS,
    // A form without a number deletes nothing, because no number of responses equals NaN.
    act: (context) => deleteMatchingResponses(context, request.survey.id, conditionsOf(values), expected),
    view: (rejected) => conditionsPage(page, values, rejected),
    done: ({ deleted, count }) => ({
      redirect: count > 0 ? `${page.listPath}deletion/?${conditions}` : page.listPath,
      flash: t('{responses} deleted.', { responses: pluralize(deleted, 'response') }),
    }),
  })
}
