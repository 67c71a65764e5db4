import type { TextAnswer } from '../../domain/report/recent-answers.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { dateTag } from '../layout/time-tag.ts'
import { countText } from './plot.ts'
import { type ReportRequest, reportPath, showsTexts } from './report-request.ts'

/** Renders text answers, the newest first. For members, each answer has a link to its response. */
export const textAnswersList = (
  answers: readonly TextAnswer[],
  { isMember, survey }: Pick<ReportRequest, 'isMember' | 'survey'>,
): Html =>
  html`<ul class="text-answers">${answers.map(
    ({ value, at, responseId }) =>
      html`<li><p>${value}</p><p class="soft">${
        isMember
          ? html`<a href="/account/surveys/${survey.id}/responses/${responseId}/"><span class="hidden">Response ${responseId} of </span>${dateTag(at)}</a>`
          : dateTag(at)
      }</p></li>`,
  )}</ul>`

/** Returns the path of the page with all text answers under a response key, within the report. */
export const textsPath = (key: string): string => `texts/${encodeURIComponent(key)}/`

/** Renders the most recent text answers with a link to all of them. */
export function recentAnswersView(
  key: string,
  { answered, latest, title }: { answered: number; latest: readonly TextAnswer[]; title: string },
  report: ReportRequest,
): Part {
  if (answered === 0) return html`<p class="soft">No answers yet.</p>`
  if (!showsTexts(report)) return html`<p class="soft">Text answers are not shared in this report.</p>`
  return html`${textAnswersList(latest, report)}${
    answered > latest.length &&
    html`<p><a href="${reportPath(report, textsPath(key))}">All ${countText(answered)} answers<span class="hidden"> to ${title}</span></a></p>`
  }`
}
