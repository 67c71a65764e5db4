import { surveyUrl } from '../../../domain/survey-address.ts'
import { html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from './frame.ts'

/** A survey at a glance: where it is taken, whether it is open, how many answered. */
export async function showOverview(request: SurveyRequest): Promise<PageResult> {
  const { survey, csrf, root, may, context } = request
  const address = surveyUrl(context.services.baseUrl, { username: survey.creator.username, slug: survey.slug })
  const { live, responses, tags } = survey
  const count = responses.toLocaleString('en')
  return request.render({
    title: survey.name,
    action: html`<a class="button" href="${address}">Take it</a>`,
    content: html`<section class="card" aria-labelledby="taken"><h2 id="taken">${live ? 'Open for answers' : 'Closed'}</h2>
<p>${live ? 'It is taken at' : 'When it is open, it is taken at'} <a class="address" href="${address}">${address}</a></p>
${
  may('Publish') &&
  html`<form method="post" action="${root}live/" class="below">${csrfField(csrf)}<input type="hidden" name="back" value="${root}"><button${live ? html`` : html` class="primary"`}>${live ? 'Close it' : 'Open it'}</button></form>`
}</section>
<section class="card" aria-labelledby="facts"><h2 id="facts">Facts</h2>
<dl class="facts"><dt>Responses</dt><dd>${may('Analyze') ? html`<a href="${root}responses/">${count}</a>` : count}</dd>
<dt>Made</dt><dd><time datetime="${survey.createdAt.toISOString()}">${survey.createdAt.toISOString().slice(0, 10)}</time> by ${survey.creator.username}</dd>
<dt>Changed</dt><dd><time datetime="${survey.updatedAt.toISOString()}">${survey.updatedAt.toISOString().slice(0, 10)}</time></dd>
${tags.length > 0 && html`<dt>Tags</dt><dd>${tags.join(', ')}</dd>`}</dl></section>`,
  })
}
