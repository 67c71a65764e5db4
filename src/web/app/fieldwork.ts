import {
  type Closing,
  type FieldworkBoard,
  type ForecastDays,
  fieldworkBoard,
  type QuotaProgress,
  type Target,
} from '../../domain/report/fieldwork/board.ts'
import type { Pace } from '../../domain/report/fieldwork/forecast.ts'
import type { InvitationOutcomes } from '../../domain/report/fieldwork/invitation-outcomes.ts'
import { findSnapshot } from '../../domain/survey/queries.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { pageLocale } from '../i18n/page-locale.ts'
import { t } from '../i18n/t.ts'
import { dayText, formatNumber, pluralize } from '../layout/format.ts'
import { type KeyFigure, keyFigures } from '../layout/parts.ts'
import type { PageResult } from '../page.ts'
import { localizerFor } from '../report/localize.ts'
import { countText, percentText } from '../report/plot.ts'
import { barView, dropOffView } from './surveys/show.ts'
import type { SurveyRequest } from './surveys/survey-page.ts'

/** Shows how far the fieldwork of a survey is: quotas, response rates, drop-off, and when the survey will close. */
export async function showFieldwork(request: SurveyRequest): Promise<PageResult> {
  const { context, survey } = request
  const snapshot = await findSnapshot(context, survey.id, 'Report')
  const board = await fieldworkBoard(context, snapshot, pageLocale().timeZone)
  return request.render({
    title: t('Fieldwork'),
    content: html`
      ${keyFiguresView(board)}
      ${quotasView(board)}
      ${ratesView(board)}
      ${collectorsView(request, board)}
      ${dropOffView(board, localizerFor(snapshot.questionnaire, undefined))}
      ${methodView(board)}`,
  })
}

function keyFiguresView({
  responses,
  withdrawn,
  completionRate,
  invitations,
  closing,
  responseLimit,
}: FieldworkBoard): Html {
  const { complete } = responses
  const of = responseLimit ?? undefined
  const figures: KeyFigure[] = [
    [
      t('Complete'),
      countText(complete),
      of ? t('of {target}, {left} left', { target: countText(of.target), left: countText(leftOf(of)) }) : null,
    ],
    [
      t('Response rate'),
      rateText(invitations.responseRate),
      invitations.responseRate === null
        ? t('no invitations by email')
        : t('{complete} of {base} invited by email', {
            complete: countText(invitations.complete),
            base: countText(invitations.invited - invitations.terminated),
          }),
    ],
    [t('Completion rate'), rateText(completionRate), t('of responses that were not screened out')],
    [
      t('Closing day'),
      closing ? dayText(closing.date) : '–',
      closing ? closingNote(closing) : t('no limit is set, or too few responses'),
    ],
  ]
  if (withdrawn > 0)
    figures.push([t('Withdrawn'), countText(withdrawn), t('by their respondents; not counted elsewhere')])
  return keyFigures(figures)
}

const leftOf = ({ target, count }: Target): number => Math.max(0, target - count)

const rateText = (rate: number | null): string => (rate === null ? '–' : percentText(rate))

/** Returns what closes the survey, with the interval of its day or the responses until then. */
function closingNote({ reason, complete, ...days }: Closing): string {
  switch (reason) {
    case 'response_limit':
      return t('The response limit is reached {interval}', { interval: intervalText(days) })
    case 'quotas':
      return t('The quotas are full {interval}', { interval: intervalText(days) })
    case 'close_at':
      return complete
        ? t('Set in the settings; {expected} complete responses by then ({low} to {high})', {
            expected: countText(complete.expected),
            low: countText(complete.low),
            high: countText(complete.high),
          })
        : t('Set in the settings')
  }
}

const intervalText = ({ earliest, latest }: ForecastDays): string =>
  latest === null
    ? t('on {earliest} at the earliest', { earliest: dayText(earliest) })
    : earliest === latest
      ? t('on {earliest}', { earliest: dayText(earliest) })
      : t('between {earliest} and {latest}', { earliest: dayText(earliest), latest: dayText(latest) })

/** Renders the quotas with their targets; nothing without quotas. */
function quotasView({ quotas }: FieldworkBoard): Part {
  if (quotas.length === 0) return null
  const forecastText = (quota: QuotaProgress) =>
    leftOf(quota) === 0
      ? html`<span class="tag good">Full</span>`
      : quota.forecast
        ? html`${dayText(quota.forecast.date)} <span class="soft">${intervalText(quota.forecast)}</span>`
        : html`<span class="soft">too few responses</span>`
  return html`<section class="card">
    <h2 id="quotas">Quotas</h2>
    <div class="data-table" tabindex="0" role="region" aria-labelledby="quotas">
      <table class="board">
        <thead>
          <tr>
            <th scope="col">Quota</th>
            <th scope="col">Target</th>
            <th scope="col">Complete</th>
            <td class="bar-cell"></td>
            <th scope="col">Left</th>
            <th scope="col">Full on</th>
          </tr>
        </thead>
        <tbody>
          ${quotas.map(
            (quota) =>
              html`<tr>
                <th scope="row">${quota.name}</th>
                <td>${countText(quota.target)}</td>
                <td>${countText(quota.count)}</td>
                <td class="bar-cell">${barView(Math.min(1, quota.count / quota.target))}</td>
                <td>${countText(leftOf(quota))}</td>
                <td class="prose">${forecastText(quota)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`
}

/** Renders the response rates of invitations by collector and contact list; nothing without invitations. */
function ratesView({ invitations, collectors, contactLists }: FieldworkBoard): Part {
  if (invitations.invited === 0) return null
  const invited = collectors.filter((collector) => collector.invitations.invited > 0)
  return html`<section class="card">
    <h2 id="rates">Response rates of invitations</h2>
    <div class="data-table" tabindex="0" role="region" aria-labelledby="rates">
      <table class="board">
        <thead>
          <tr>
            <th scope="col">Invited by email</th>
            <th scope="col">Invited</th>
            <th scope="col">Accepted</th>
            <th scope="col">Opened</th>
            <th scope="col">Started</th>
            <th scope="col">Complete</th>
            <th scope="col">Screened out</th>
            <th scope="col">Response rate</th>
            <th scope="col">With partial</th>
          </tr>
        </thead>
        <tbody>
          ${rateRow(html`<strong>All</strong>`, invitations)}
          ${
            invited.length > 1 && [
              groupRow(t('By collector')),
              ...invited.map(({ name, invitations }) => rateRow(name, invitations)),
            ]
          }
          ${
            contactLists.length > 0 && [
              groupRow(t('By contact list')),
              ...contactLists.map(({ list, outcomes }) => rateRow(list?.name ?? t('In no list'), outcomes)),
            ]
          }
        </tbody>
      </table>
    </div>
    ${contactLists.length > 1 && html`<p class="soft below">A contact in several lists counts in each of them.</p>`}
  </section>`
}

const groupRow = (title: string): Html => html`<tr class="group"><th scope="colgroup" colspan="9">${title}</th></tr>`

const rateRow = (name: Part, outcomes: InvitationOutcomes): Html =>
  html`<tr>
    <th scope="row">${name}</th>
    <td>${countText(outcomes.invited)}</td>
    <td>${countText(outcomes.accepted)}</td>
    <td>${countText(outcomes.opened)}</td>
    <td>${countText(outcomes.started)}</td>
    <td>${countText(outcomes.complete)}</td>
    <td>${countText(outcomes.terminated)}</td>
    <td>${rateText(outcomes.responseRate)}</td>
    <td>${rateText(outcomes.responseRateWithPartial)}</td>
  </tr>`

/** Renders the responses of each collector. */
const collectorsView = ({ root, may }: SurveyRequest, { collectors, responses }: FieldworkBoard): Part =>
  responses.total > 0 &&
  html`<section class="card">
    <h2 id="collectors">Responses by collector</h2>
    <div class="data-table" tabindex="0" role="region" aria-labelledby="collectors">
      <table class="board">
        <thead>
          <tr>
            <th scope="col">Collector</th>
            <th scope="col">Started</th>
            <th scope="col">Complete</th>
            <th scope="col">Incomplete</th>
            <th scope="col">Screened out</th>
            <th scope="col">Completion rate</th>
          </tr>
        </thead>
        <tbody>
          ${collectors.map(
            ({ id, name, responses: { total, complete, incomplete, terminated }, completionRate }) =>
              html`<tr>
                <th scope="row">
                  ${may('View') ? html`<a href="${root}responses/?_collector=${id}">${name}</a>` : name}
                </th>
                <td>${countText(total)}</td>
                <td>${countText(complete)}</td>
                <td>${countText(incomplete)}</td>
                <td>${countText(terminated)}</td>
                <td>${rateText(completionRate)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`

/** Renders what the forecast assumes, and how the rates are defined. */
const methodView = ({ pace }: FieldworkBoard): Html =>
  html`<section class="card" aria-labelledby="method">
    <h2 id="method">How these figures are made</h2>
    <p>${pace ? assumptionText(pace) : t('There is no forecast before 3 whole days with 10 complete responses.')}</p>
    <p class="below">
      The response rate is the share of complete responses among all who were invited by email and were not screened out
      (response rate 1 of AAPOR); everyone else counts as eligible, also those whom no email reached. “With partial”
      adds those who submitted a page (response rate 2). Codes without a recipient and visitors of an open link have no
      base and are left out.
    </p>
  </section>`

const assumptionText = ({ days, complete, perDay }: Pace): string =>
  t(
    'The forecast assumes that complete responses keep coming in at the pace of the last {days}: {complete}, {mean} a day. The interval contains the day in 95 of 100 surveys with such days.',
    {
      days: pluralize(days, 'whole day'),
      complete: pluralize(complete, 'complete response'),
      mean: formatNumber(perDay, { maximumFractionDigits: 1 }),
    },
  )
