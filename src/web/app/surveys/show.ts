import { surveyStatistics } from '../../../domain/report/statistics.ts'
import { browseResponses } from '../../../domain/response/list/browse.ts'
import { findEmptySurveys, findSnapshot } from '../../../domain/survey/queries.ts'
import { surveyUrl } from '../../../domain/survey-address.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { pageLanguage, pageLocale } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { dateTag } from '../../layout/time-tag.ts'
import type { PageResult } from '../../page.ts'
import { localizerFor } from '../../report/localize.ts'
import { notificationSection } from './notification.ts'
import { shareView } from './share-view.ts'
import { daysView, dropOffView, keyFiguresView, latestView } from './statistics-view.ts'
import type { SurveyRequest } from './survey-page.ts'

/** The period of the chart of responses by day. */
const PERIOD_DAYS = 30
const LATEST_RESPONSES = 5

/** Shows the status, the links and the progress of a survey. */
export async function showOverview(request: SurveyRequest): Promise<PageResult> {
  const { survey, may, context } = request
  const address = surveyUrl('', { username: survey.creator.username, slug: survey.slug })
  const isEmpty = survey.live && survey.responses === 0 && (await findEmptySurveys(context, [survey.id])).size > 0
  const progress = may('Analyze') && survey.responses > 0 ? await progressView(request) : undefined
  return request.render({
    title: t('Overview'),
    action: !survey.unpublished && html`<a class="button" href="${context.services.baseUrl}${address}">View survey</a>`,
    scripts: ['copy.js'],
    content: html`${progress?.figures}${isEmpty && noQuestionsView(request)}${shareView(request)}${progress ? progress.details : emptyView(request)}${may('Analyze') && (await notificationSection(request))}${factsView(request)}`,
  })
}

/** Renders a notice above the link of a survey that is live without a question. */
const noQuestionsView = ({ root, may }: SurveyRequest): Html =>
  html`<section class="card" aria-labelledby="no-questions"><h2 id="no-questions">No questions yet</h2>
<p>The survey is live, but respondents read that it is not available.</p>${may('Edit') && html`<p class="below"><a class="button primary" href="${root}edit/">Add questions</a></p>`}</section>`

/** Renders the figures above the survey link, and the charts and lists below it. */
async function progressView({ context, survey, root }: SurveyRequest): Promise<{ figures: Html; details: Html }> {
  const snapshot = await findSnapshot(context, survey.id, 'Analyze')
  const statistics = await surveyStatistics(context, snapshot, PERIOD_DAYS, pageLocale().timeZone)
  const { rows } = await browseResponses(context, snapshot, { filters: [], newestFirst: true, limit: LATEST_RESPONSES })
  const localize = localizerFor(snapshot.questionnaire, undefined)
  return {
    figures: keyFiguresView(statistics, `${root}responses/`),
    details: html`${daysView(statistics)}${dropOffView(statistics, localize)}${rows.length > 0 && latestView(rows, `${root}responses/`)}`,
  }
}

/** Renders advice on how to collect the first response to a published survey. */
function emptyView({ survey, may, root }: SurveyRequest): Part {
  if (!may('Analyze') || survey.unpublished || survey.responses > 0) return null
  return html`<section class="card" aria-labelledby="none"><h2 id="none">No responses yet</h2>
<p>${
    survey.live
      ? html`Copy the survey link into a message, or print the QR code.${may('Deploy') && html` You can also <a href="${root}invitations/">invite people by email</a>.`} Charts and the latest responses appear here after the first response.`
      : t('Reopen the survey to collect responses.')
  }</p></section>`
}

function factsView({ survey, may }: SurveyRequest): Html {
  const { createdAt, updatedAt, creator, tags, responses } = survey
  return html`<section class="card" aria-labelledby="facts"><h2 id="facts">Details</h2>
<dl class="facts">${!may('Analyze') && html`<dt>Responses</dt><dd>${responses.toLocaleString(pageLanguage())}</dd>`}<dt>Created</dt><dd>${dateTag(createdAt)} by ${creator.username}</dd>
<dt>Last edited</dt><dd>${dateTag(updatedAt)}</dd>
${tags.length > 0 && html`<dt>Tags</dt><dd>${tags.join(', ')}</dd>`}</dl></section>`
}
