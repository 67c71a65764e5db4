import type { TextAnswer } from '../../domain/report/queries.ts'
import { fileKeysOf } from '../../domain/structure/file-answer.ts'
import type { Field } from '../../domain/structure/questionnaire.ts'
import { hasNotation, writeValue } from '../../domain/structure/write-answer.ts'
import { filePagePath } from '../../domain/survey-address.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { pageLanguage } from '../i18n/page-locale.ts'
import { pluralize } from '../layout/pluralize.ts'
import { dateTag } from '../layout/time-tag.ts'
import { countText } from './plot.ts'
import { type ReportRequest, reportPath, showsTexts } from './report-request.ts'

/** Renders text answers, newest first. For members, each answer has a link to its response. */
export const textAnswersList = (
  answers: readonly TextAnswer[],
  { isMember, survey }: Pick<ReportRequest, 'isMember' | 'survey'>,
  field: Field,
): Html =>
  html`<ul class="text-answers">${answers.map(({ value, at, responseId, responseNumber }) => {
    const files = field.type === 'file' ? fileKeysOf(value) : []
    return html`<li><p>${files.length > 0 ? fileLinks(files, isMember && survey.id) : hasNotation(field, value) ? writeValue(field, value, pageLanguage()) : value}</p><p class="soft">${
      isMember
        ? html`<a href="/account/surveys/${survey.id}/responses/${responseId}/"><span class="hidden">Response ${responseNumber}, </span>${dateTag(at)}</a>`
        : dateTag(at)
    }</p></li>`
  })}</ul>`

/** Renders links to files. For guests, who cannot download files, renders only the number of files. */
const fileLinks = (keys: readonly string[], surveyId: number | false): Part =>
  surveyId === false
    ? pluralize(keys.length, 'file')
    : keys.map((key, index) => html`<a href="${filePagePath(surveyId)}${key}/" download>File ${index + 1}</a> `)

/**
 * Returns the path of the page with all text answers to a question or to a row of a grid, relative to the report.
 * @param key the response key of the answers, such as `q1` or `grid_0`
 */
export const textsPath = (key: string): string => `texts/${encodeURIComponent(key)}/`

/** Renders the most recent text answers, with a link to the page of all text answers. */
export function recentAnswersView(
  field: Field,
  { answered, latest, title }: { answered: number; latest: readonly TextAnswer[]; title: string },
  report: ReportRequest,
): Part {
  if (answered === 0) return html`<p class="soft">No answers yet.</p>`
  if (!showsTexts(report)) return html`<p class="soft">Text answers are not shared in this report.</p>`
  return html`${textAnswersList(latest, report, field)}${
    answered > latest.length &&
    html`<p><a href="${reportPath(report, textsPath(field.key))}">All ${countText(answered)} answers<span class="hidden"> to ${title}</span></a></p>`
  }`
}
