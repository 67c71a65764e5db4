import type { Questionnaire } from '../../../domain/structure/questionnaire.ts'
import { surveyUrl } from '../../../domain/survey-address.ts'
import { html, type Part } from '../../../lib/html.ts'
import { t } from '../../i18n/t.ts'
import type { ResponsesRequest } from './frame.ts'
import { newResponsesLink } from './new-count.ts'

/** Renders instructions for collecting the first response. */
export function emptyView(page: ResponsesRequest, seq: number): Part {
  const { survey, snapshot, context } = page
  const { baseUrl } = context.services
  const link = surveyUrl(baseUrl, { username: snapshot.ownerUsername, slug: snapshot.slug })
  const command = `curl -u <API key>:<password> ${baseUrl}/api/v3/surveys/${survey.id}/responses/ --data-urlencode ${sampleOf(snapshot.questionnaire)}`
  return html`<section class="card" aria-labelledby="none"><h2 id="none">No responses yet</h2>
<p>${survey.live ? t('Share the survey link, or open it to answer yourself:') : survey.unpublished ? t('The survey is not published. Publish it to collect responses with this link:') : t('The survey is closed. Open it to collect responses with this link:')} <a class="address" href="${link}">${link}</a></p>
<p class="below">Or submit a response with the API:</p>
<pre class="sample" tabindex="0" role="region" aria-label="API request">${command}</pre>
${newResponsesLink(page, seq)}</section>`
}

/**
 * Returns a form parameter with a sample answer, quoted for a shell. If no question accepts a text or a single choice,
 * returns the parameter `_completed=0`.
 */
function sampleOf({ fields }: Questionnaire): string {
  const field = fields.find(({ type }) => type === 'string' || type === 'single')
  const sample = field ? `${field.key}=${field.type === 'single' ? 0 : '…'}` : '_completed=0'
  return `'${sample.replaceAll("'", "'\\''")}'`
}
