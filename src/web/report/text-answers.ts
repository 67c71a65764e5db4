import type { TextAnswer } from '../../domain/report/recent-answers.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { countText } from './plot.ts'
import { partOf, type ReportRequest, showsTexts } from './report-request.ts'

/** Texts that respondents wrote, the newest first; the survey's own people can open the response. */
export const writtenView = (
  answers: readonly TextAnswer[],
  { own, survey }: Pick<ReportRequest, 'own' | 'survey'>,
): Html =>
  html`<ul class="written">${answers.map(({ value, at, responseId }) => {
    const time = html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 10)}</time>`
    return html`<li><p>${value}</p><p class="soft">${
      own
        ? html`<a href="/account/surveys/${survey.id}/responses/${responseId}/" aria-label="Response ${responseId} of ${at.toISOString().slice(0, 10)}">${time}</a>`
        : time
    }</p></li>`
  })}</ul>`

/** Where all texts under a response key are looked through. */
export const textsPath = (key: string): string => `texts/${encodeURIComponent(key)}/`

/** The last few texts, and the way to all of them. */
export function latestView(
  key: string,
  { answered, latest, named }: { answered: number; latest: readonly TextAnswer[]; named: string },
  looking: ReportRequest,
): Part {
  if (answered === 0) return html`<p class="soft">No answers yet.</p>`
  if (!showsTexts(looking)) return html`<p class="soft">Text answers are not shared in this report.</p>`
  return html`${writtenView(latest, looking)}${
    answered > latest.length &&
    html`<p><a href="${partOf(looking, textsPath(key))}">All ${countText(answered)} answers<span class="hidden"> to ${named}</span></a></p>`
  }`
}
