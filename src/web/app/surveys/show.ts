import { shortCodeOf } from '../../../domain/survey/short-code.ts'
import { surveyUrl } from '../../../domain/survey-address.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { dateTag } from '../../layout/time-tag.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from './survey-page.ts'

/** Shows the survey link, the status and the number of responses. */
export async function showOverview(request: SurveyRequest): Promise<PageResult> {
  const { survey, root, may, context } = request
  const address = surveyUrl(context.services.baseUrl, { username: survey.creator.username, slug: survey.slug })
  const { responses, tags } = survey
  const count = responses.toLocaleString('en')
  return request.render({
    title: survey.name,
    action: html`<a class="button" href="${address}">View survey</a>`,
    content: html`${statusView(request, address)}
${survey.unpublished ? null : qrCodeView(root)}<section class="card" aria-labelledby="facts"><h2 id="facts">Details</h2>
<dl class="facts"><dt>Responses</dt><dd>${may('Analyze') ? html`<a href="${root}responses/">${count}</a>` : count}</dd>
<dt>Created</dt><dd>${dateTag(survey.createdAt)} by ${survey.creator.username}</dd>
<dt>Last edited</dt><dd>${dateTag(survey.updatedAt)}</dd>
${tags.length > 0 && html`<dt>Tags</dt><dd>${tags.join(', ')}</dd>`}</dl></section>`,
  })
}

/** Renders the QR code of the survey link, with downloads for posters and slides. */
const qrCodeView = (root: string): Html =>
  html`<section class="card qr-code" aria-labelledby="qr-code"><h2 id="qr-code">QR code</h2><img src="${root}image/qr-code.svg" width="144" height="144" alt="QR code of the survey link"><p><a class="button small" href="${root}image/qr-code.png?download">Download PNG</a> <a class="button small" href="${root}image/qr-code.svg?download">Download SVG</a></p></section>
`

/** Renders the status of the survey, its link, and a button that continues editing, or closes or reopens the survey. */
function statusView({ survey, csrf, root, may, context }: SurveyRequest, address: string): Html {
  const shortUrl = `${context.services.baseUrl}/s/${shortCodeOf(survey.id)}`
  const { live, unpublished } = survey
  const link = html`<a class="address" href="${address}">${address}</a>`
  if (unpublished)
    return html`<section class="card" aria-labelledby="link"><h2 id="link">Draft</h2>
<p>Respondents cannot take this survey yet. Publish it in the builder to open it.</p><p>Survey link when published: ${link}</p>${
      may('Edit') && html`<p class="below"><a class="button primary" href="${root}edit/">Continue editing</a></p>`
    }</section>`
  return html`<section class="card" aria-labelledby="link"><h2 id="link">${live ? 'Live' : 'Closed'}</h2>
<p>${live ? 'Survey link:' : 'Survey link when live:'} ${link}</p>
<p>Short link: <a class="address" href="${shortUrl}">${shortUrl}</a></p>
${
  may('Publish') &&
  html`<form method="post" action="${root}live/" class="below">${csrfField(csrf)}<input type="hidden" name="back" value="${root}"><button${live ? html`` : html` class="primary"`}>${live ? 'Close survey' : 'Reopen survey'}</button></form>`
}</section>`
}
