import { renderSVG } from 'uqr'
import { wasImported } from '../../../domain/moving/record.ts'
import { problems } from '../../../domain/problem.ts'
import { percentage } from '../../../domain/report/question-stats.ts'
import { type StatisticsPage, type SurveyStatistics, surveyStatistics } from '../../../domain/report/statistics.ts'
import type { StoredResponse } from '../../../domain/response/filter/where.ts'
import { browseResponses } from '../../../domain/response/list/browse.ts'
import type { Services } from '../../../domain/services.ts'
import { findEmptySurveys, findSnapshot } from '../../../domain/survey/queries.ts'
import { getSnapshot } from '../../../domain/survey/snapshot.ts'
import { shortUrl, surveyUrl } from '../../../domain/survey-address.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { pageLanguage, pageLocale } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { dateTag, timeTag } from '../../layout/format.ts'
import { type KeyFigure, keyFigures } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { renderPng } from '../../report/downloads.ts'
import { figure } from '../../report/figure.ts'
import { type Localize, localizerFor } from '../../report/localize.ts'
import { countText, percentText } from '../../report/plot.ts'
import { statusTag } from '../responses/frame.ts'
import { durationText } from '../responses/show.ts'
import { notificationSection } from './notification.ts'
import type { SurveyRequest } from './survey-page.ts'

/** The period of the chart of responses by day. */
const PERIOD_DAYS = 30
const LATEST_RESPONSES = 5

/** Shows the status, the links and the progress of a survey. */
export async function showOverview(request: SurveyRequest): Promise<PageResult> {
  const { survey, may, context } = request
  const address = surveyUrl('', { username: survey.creator.username, slug: survey.slug })
  const isEmpty = survey.live && survey.responses === 0 && (await findEmptySurveys(context, [survey.id])).size > 0
  const progress = may('Report') && survey.responses > 0 ? await progressView(request) : undefined
  return request.render({
    title: t('Overview'),
    action:
      !survey.unpublished && html`<a class="button plain" href="${context.services.baseUrl}${address}">View survey</a>`,
    scripts: ['copy.js'],
    content: html`
      ${progress?.figures}
      ${isEmpty && noQuestionsView(request)}
      ${await shareView(request, !isEmpty)}
      ${progress ? progress.details : emptyView(request)}
      ${may('View') && (await notificationSection(request))}
      ${factsView(request, may('Correct') && (await wasImported(context, survey.id)))}`,
  })
}

/** Renders a notice above the link of a survey that is live without a question. */
const noQuestionsView = ({ root, may }: SurveyRequest): Html =>
  html`<section class="card" aria-labelledby="no-questions">
    <h2 id="no-questions">No questions yet</h2>
    <p>The survey is live, but respondents read that it is not available.</p>
    ${may('Edit') && html`<p class="below"><a class="button primary" href="${root}edit/">Add questions</a></p>`}
  </section>`

/** Renders the figures above the survey link, and the charts and lists below it. */
async function progressView({ context, survey, root, may }: SurveyRequest): Promise<{ figures: Html; details: Html }> {
  const snapshot = await findSnapshot(context, survey.id, 'Report')
  const statistics = await surveyStatistics(context, snapshot, PERIOD_DAYS, pageLocale().timeZone)
  const latest = { filters: [], newestFirst: true, limit: LATEST_RESPONSES }
  const rows = may('View') ? (await browseResponses(context, snapshot, latest)).rows : []
  const localize = localizerFor(snapshot.questionnaire, undefined)
  return {
    figures: keyFiguresView(statistics, may('View') ? `${root}responses/` : undefined),
    details: html`
      ${daysView(statistics)}
      ${dropOffView(statistics, localize)}
      ${rows.length > 0 && latestView(rows, `${root}responses/`)}`,
  }
}

/** Renders advice on how to collect the first response to a published survey. */
function emptyView({ survey, may, root }: SurveyRequest): Part {
  if (!may('Report') || survey.unpublished || survey.responses > 0) return null
  return html`<section class="card" aria-labelledby="none">
    <h2 id="none">No responses yet</h2>
    <p>
      ${
        survey.live
          ? html`
            Copy the survey link into a message, or print the QR
            code.${may('Deploy') && html` You can also <a href="${root}invitations/">invite people by email</a>.`}
            Charts and the latest responses appear here after the first response.`
          : t('Reopen the survey to collect responses.')
      }
    </p>
  </section>`
}

function factsView({ survey, may, root }: SurveyRequest, isImported: boolean): Html {
  const { createdAt, updatedAt, creator, tags, responses } = survey
  return html`<section class="card" aria-labelledby="facts">
    <h2 id="facts">Details</h2>
    <dl class="facts">
      ${!may('Report') && html`<dt>Responses</dt><dd>${responses.toLocaleString(pageLanguage())}</dd>`}
      <dt>Created</dt>
      <dd>${dateTag(createdAt)} by ${creator.username}</dd>
      ${isImported && html`<dt>Imported</dt><dd><a href="${root}import/">Proof of the import</a></dd>`}
      <dt>Last edited</dt>
      <dd>${dateTag(updatedAt)}</dd>
      ${tags.length > 0 && html`<dt>Tags</dt><dd>${tags.join(', ')}</dd>`}
    </dl>
  </section>`
}

/** Renders the status of a survey and its links, with buttons that copy the links, and the QR code. */
async function shareView(request: SurveyRequest, isPrimary: boolean): Promise<Html> {
  const { survey, context } = request
  const { live, unpublished, creator, slug } = survey
  const { baseUrl } = context.services
  const address = surveyUrl(baseUrl, { username: creator.username, slug })
  if (unpublished) return draftView(request, address)
  return html`<section class="card" aria-labelledby="share">
    <h2 id="share">${live ? t('Live') : t('Closed')}</h2>
    <p class="soft">
      ${live ? await openView(request) : t('Respondents see a message that the survey is closed.')}
    </p>
    ${linkView('link', live ? t('Survey link') : t('Survey link when live'), t('Copy survey link'), address)}
    ${linkView('short-link', t('Short link'), t('Copy short link'), shortUrl(baseUrl, survey))}
    ${actionsView(request, isPrimary)}
  </section>`
}

/** Returns until when a live survey accepts responses, in words. */
async function openView({ survey, context }: SurveyRequest): Promise<Part> {
  const settings = (await getSnapshot(context.em, survey.id))?.defaultCollector.settings
  const { open_at = null, close_at = null, max_responses = null, invite_only = false } = settings ?? {}
  const at = (time: string) => timeTag(new Date(time))
  const limit =
    max_responses !== null &&
    html` ${t('It closes after {count} complete responses.', { count: countText(max_responses) })}`
  if (open_at !== null && context.now < new Date(open_at)) return html`Opens ${at(open_at)}.${limit}`
  const open = invite_only ? t('Open for invited people.') : t('Open: everyone with the link can answer.')
  if (close_at === null) return html`${open}${limit}`
  return context.now < new Date(close_at)
    ? html`Open until ${at(close_at)}.${limit}`
    : html`Closed since ${at(close_at)}, the date in the settings.`
}

/**
 * Renders the QR code of a survey link, with links that download it.
 * @param path of the page that the code belongs to
 */
export const qrCodeView = (path: string): Html =>
  html`<div class="qr-code">
    <img src="${path}image/qr-code.svg" width="144" height="144" alt="QR code of the survey link">
    <p>
      <a href="${path}image/qr-code.png?download">PNG<span class="hidden"> of the QR code</span></a> <a
          href="${path}image/qr-code.svg?download">SVG<span class="hidden"> of the QR code</span></a>
    </p>
  </div>`

/** Renders a link with a button that copies it. */
export const linkView = (id: string, label: string, copyLabel: string, address: string): Html =>
  html`<div class="share-link">
    <p class="soft">${label}</p>
    <p>
      <a class="address" id="${id}" href="${address}">${address}</a> <button type="button" class="small"
          data-copy="${id}" aria-label="${copyLabel}" hidden>Copy</button>
    </p>
  </div>`

/** @param isPrimary whether to invite people is the primary action of the page */
function actionsView({ survey: { live }, root, csrf, may }: SurveyRequest, isPrimary: boolean): Html {
  const invite =
    live &&
    may('Deploy') &&
    html`
      <a class="button ${isPrimary ? 'primary' : 'plain'} small" href="${root}invitations/new/">Invite by email</a>
      <a class="button plain small" href="${root}embeds/">Embed in a page</a>`
  const toggle =
    may('Publish') &&
    html`<form method="post" action="${root}live/">
      ${csrfField(csrf)}
      <input type="hidden" name="back" value="${root}">
      <button class="${live ? 'small danger' : 'small primary'}">
        ${live ? t('Close survey') : t('Reopen survey')}
      </button>
    </form>`
  const qrCode = html`<details class="more" name="more">
    <summary class="button plain small">QR code</summary>
    <div class="more-actions">${qrCodeView(root)}</div>
  </details>`
  return html`<div class="button-row below">${invite}${qrCode}${toggle}</div>`
}

const draftView = ({ root, may }: SurveyRequest, address: string): Html =>
  html`<section class="card" aria-labelledby="share">
    <h2 id="share">Draft</h2>
    <p>Respondents cannot take this survey yet. Publish it in the builder to open it.</p>
    <p class="soft">Survey link when published: <span class="address">${address}</span></p>
    ${may('Edit') && html`<p class="below"><a class="button primary" href="${root}edit/">Continue editing</a></p>`}
  </section>`

/** Renders the key figures of a survey. */
function keyFiguresView(statistics: SurveyStatistics, responsesPath: string | undefined): Html {
  const { responses, completionRate, medianSeconds, lastResponseAt } = statistics
  const { total, complete, incomplete, terminated } = responses
  const parts = [
    t('{value} complete', { value: countText(complete) }),
    t('{value} incomplete', { value: countText(incomplete) }),
    ...(terminated > 0 ? [t('{value} screened out', { value: countText(terminated) })] : []),
  ]
  const figures: KeyFigure[] = [
    [
      t('Responses'),
      responsesPath ? html`<a href="${responsesPath}">${countText(total)}</a>` : countText(total),
      parts.join(', '),
    ],
    [
      t('Completion rate'),
      completionRate === null ? '–' : percentText(completionRate),
      t('of responses that were not screened out'),
    ],
    [
      t('Median time'),
      medianSeconds === null ? '–' : durationText(Math.round(medianSeconds)),
      medianSeconds === null ? t('not recorded') : t('for the latest complete responses'),
    ],
    [t('Latest response'), lastResponseAt === null ? '–' : timeTag(lastResponseAt), null],
  ]
  // People who may not view responses do not see times (docs/anonymity-threshold.md).
  const shown = medianSeconds === null && lastResponseAt === null ? figures.slice(0, 2) : figures
  return keyFigures(shown)
}

/** Renders the chart and the table of responses by day. */
function daysView({ days, timeZone }: SurveyStatistics): Html {
  const started = days.reduce((sum, { started }) => sum + started, 0)
  const title = t('Responses in the last {length} days', { length: days.length })
  return html`<section class="card" aria-labelledby="days"><h2 id="days">${title}</h2>${
    started === 0
      ? html`<p class="soft">No responses were started in this period.</p>`
      : figure(
          { kind: 'timeline', timeZone, days: days.map(({ date, started }) => ({ day: date, count: started })) },
          title,
        )
  }</section>`
}

/**
 * Renders how many respondents submitted each page, and how many stopped after that page. Renders nothing if the survey
 * has only one page or if no page was submitted.
 */
export function dropOffView({ pages }: Pick<SurveyStatistics, 'pages'>, localize: Localize): Part {
  const most = Math.max(0, ...pages.map(({ submitted }) => submitted))
  if (pages.length < 2 || most === 0) return null
  const nameOf = ({ number, title }: StatisticsPage) => {
    const text = localize(title)
    return text ? `${number}. ${text}` : t('Page {number}', { number })
  }
  return html`<section class="card">
    <h2 id="drop-off">Drop-off by page</h2>
    <div class="data-table" tabindex="0" role="region" aria-labelledby="drop-off">
      <table class="drop-off">
        <thead>
          <tr>
            <th scope="col">Page</th>
            <th scope="col">Submitted</th>
            <td></td>
            <th scope="col">Stopped after this page</th>
          </tr>
        </thead>
        <tbody>
          ${pages.map(
            (page) =>
              html`<tr>
                <th scope="row">${nameOf(page)}</th>
                <td>${countText(page.submitted)}</td>
                <td class="bar-cell">${barView(page.submitted / most)}</td>
                <td>${stoppedText(page)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p class="soft below">
      Respondents are counted when they submit their first page. Visits without a submitted page, responses from the API
      and imported responses whose file does not list the pages viewed are not counted. Some respondents counted as
      stopped may still be answering.
    </p>
  </section>`
}

const stoppedText = ({ submitted, stopped }: StatisticsPage): string =>
  stopped === 0 ? '0' : `${countText(stopped)} (${percentText(percentage(stopped, submitted))})`

/** Renders a bar whose length shows a share from 0 to 1. */
export const barView = (share: number): Html =>
  html`<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect class="track" width="100" height="8"/>
    <rect class="bar-mark" width="${(share * 100).toFixed(1)}" height="8"/>
  </svg>`

/** Renders the latest responses, each with a link. */
const latestView = (rows: readonly StoredResponse[], responsesPath: string): Html =>
  html`<section class="card" aria-labelledby="latest">
    <div class="line"><h2 id="latest">Latest responses</h2><a href="${responsesPath}">All responses</a></div>
    <ul class="rows compact">
      ${rows.map(
        ({ id, number, completed, created_at }) =>
          html`<li>
            <a href="${responsesPath}${id}/">Response ${number}</a>
            ${statusTag(completed)}
            <span class="soft">${timeTag(new Date(created_at))}</span>
          </li>`,
      )}
    </ul>
  </section>`

/**
 * Width of a module (one square of the QR code) in the SVG. The PNG is twice as large, so that it is sharp on an A4
 * poster.
 */
const MODULE_PIXELS = 16
/** The quiet zone that ISO/IEC 18004 requires around the symbol, in modules. */
const QUIET_ZONE_MODULES = 4

/**
 * Sends the QR code of a survey link.
 * @throws {Problem} as {@link qrCodeFile}
 */
export const showQrCode = ({ context: { services }, survey, params, query }: SurveyRequest): Promise<PageResult> =>
  qrCodeFile(services, params.file, {
    address: surveyUrl(services.baseUrl, { username: survey.creator.username, slug: survey.slug }),
    name: survey.slug,
    isDownload: query.has('download'),
  })

/**
 * Sends the QR code of an address as SVG or PNG, with 15 % error correction.
 * @param format `qr-code.svg` or `qr-code.png`
 * @throws {Problem} `survey_not_found` for any other format, `too_many_pictures`, `render_timeout`
 */
export async function qrCodeFile(
  services: Services,
  format: string | undefined,
  { address, name: prefix, isDownload }: { address: string; name: string; isDownload: boolean },
): Promise<PageResult> {
  if (format !== 'qr-code.svg' && format !== 'qr-code.png') throw problems.surveyNotFound()
  const svg = renderSVG(address, { ecc: 'M', border: QUIET_ZONE_MODULES, pixelSize: MODULE_PIXELS })
  const name = isDownload ? { name: `${prefix}-${format}` } : {}
  if (format === 'qr-code.svg') return { file: svg, type: 'image/svg+xml', ...name }
  return { file: await renderPng(services, svg), type: 'image/png', ...name }
}
