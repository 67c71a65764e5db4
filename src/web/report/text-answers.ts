import { problems } from '../../domain/problem.ts'
import type { PublishedText } from '../../domain/report/publication.ts'
import { listTexts, MAX_ANSWERS_PER_QUESTION, type TextAnswer, type TextPage } from '../../domain/report/queries.ts'
import { fileKeysOf } from '../../domain/structure/file-answer.ts'
import type { Field, Questionnaire } from '../../domain/structure/questionnaire.ts'
import { hasNotation, writeValue } from '../../domain/structure/write-answer.ts'
import { findSnapshot } from '../../domain/survey/queries.ts'
import { filePagePath } from '../../domain/survey-address.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { filterChips } from '../filter/chips.ts'
import { BASE_PARAMETER, formatFilter, formatListQuery, resolveConditions } from '../filter/list-query.ts'
import { pageLanguage } from '../i18n/page-locale.ts'
import { t } from '../i18n/t.ts'
import { dateTag, pluralize } from '../layout/format.ts'
import { backLink } from '../layout/parts.ts'
import { parseId } from '../session.ts'
import type { StandalonePage } from './deferred.ts'
import { localizerFor } from './localize.ts'
import { countText } from './plot.ts'
import {
  filterPageOf,
  isFiltered,
  type ReportRequest,
  reportPath,
  responseSearch,
  resultsFor,
  showsTexts,
} from './report-request.ts'

/** A text answer; without its response and its time for readers who see published figures only. */
export type ShownText = TextAnswer | PublishedText

/** Renders text answers. For readers who may view responses, each answer has a link to its response. */
const textAnswersList = (
  answers: readonly ShownText[],
  { isMember, survey }: Pick<ReportRequest, 'isMember' | 'survey'>,
  field: Field,
): Html =>
  html`<ul class="text-answers">
    ${answers.map((answer) => {
      const { value } = answer
      const files = field.type === 'file' ? fileKeysOf(value) : []
      return html`<li>
        <p>
          ${
            files.length > 0
              ? fileLinks(files, isMember && survey.id)
              : hasNotation(field, value)
                ? writeValue(field, value, pageLanguage())
                : value
          }
        </p>
        ${
          'at' in answer &&
          html`<p class="soft">
            ${
              isMember
                ? html`<a href="/account/surveys/${survey.id}/responses/${answer.responseId}/">
                  <span class="hidden">Response ${answer.responseNumber}, </span>
                  ${dateTag(answer.at)}
                </a>`
                : dateTag(answer.at)
            }
          </p>`
        }
      </li>`
    })}
  </ul>`

/** Renders links to files. For guests, who cannot download files, renders only the number of files. */
const fileLinks = (keys: readonly string[], surveyId: number | false): Part =>
  surveyId === false
    ? pluralize(keys.length, 'file')
    : keys.map((key, index) => html`<a href="${filePagePath(surveyId)}${key}/" download>File ${index + 1}</a> `)

/**
 * Returns the path of the page with all text answers to a question or to a row of a grid, relative to the report.
 * @param key the response key of the answers, such as `q1` or `grid_0`
 */
const textsPath = (key: string): string => `texts/${encodeURIComponent(key)}/`

/** Renders the most recent text answers, with a link to the page of all text answers. */
export function recentAnswersView(
  field: Field,
  { answered, latest, title }: { answered: number; latest: readonly ShownText[]; title: string },
  report: ReportRequest,
): Part {
  if (answered === 0) return html`<p class="soft">No answers yet.</p>`
  if (!showsTexts(report)) return html`<p class="soft">Text answers are not shared in this report.</p>`
  if (latest.length === 0) return null
  const shown = latest.slice(0, MAX_ANSWERS_PER_QUESTION)
  return html`
    ${textAnswersList(shown, report, field)}
    ${
      answered > shown.length &&
      html`<p>
        <a href="${reportPath(report, textsPath(field.key))}">
          All ${countText(answered)} answers<span class="hidden"> to ${title}</span>
        </a>
      </p>`
    }`
}

const PAGE_SIZE = 20

/** Query parameters of the page. */
const SEARCH = 'view-words'
const BEFORE = 'view-before'

/**
 * Returns the page that lists the text answers to one question (or row of a grid), newest first, with a search.
 * @throws {Problem} `question_not_found`, also if the report does not share text answers
 */
export async function textsPage(report: ReportRequest, key: string, query: URLSearchParams): Promise<StandalonePage> {
  if (!showsTexts(report)) throw problems.questionNotFound()
  if (report.threshold !== undefined) return publishedTextsPage(report, key, query)
  const search = query.get(SEARCH)?.trim() || undefined
  const before = parseId(query.get(BEFORE) ?? '') || undefined
  const page = await listTexts(report.context, report.survey.id, report.design, responseSearch(report.listQuery), {
    key,
    limit: PAGE_SIZE,
    ...(search && { search }),
    ...(before && { before }),
  })
  return {
    ...headOf(report, page.q, page.field),
    content: html`
      ${await chipsView(report)}
      ${searchForm(report, key, search)}
      ${listView(page, report, { key, search, before })}`,
  }
}

function headOf(report: ReportRequest, q: Questionnaire, { question, row, type }: Field) {
  const localize = localizerFor(q, report.listQuery.language)
  const part = row ? localize(row.label) : type === 'other' ? t('other answers') : ''
  const name = localize(question.title) || question.id
  return {
    title: part ? `${name} – ${part}` : name,
    beforeHeading: backLink(reportPath(report), report.title),
  }
}

const searchForm = (report: ReportRequest, key: string, search: string | undefined): Html => html`
      <form method="get" action="${report.basePath}${textsPath(key)}" role="search" class="search">
        <input type="hidden" name="${BASE_PARAMETER}" value="${formatFilter(report.listQuery)}">
        ${
          report.listQuery.language &&
          html`<input type="hidden" name="view-language" value="${report.listQuery.language}">`
        }
        <label for="text" class="hidden">Search answers</label> <input class="box" id="text" name="${SEARCH}"
            type="search" value="${search ?? ''}" placeholder="Search answers">
        <button>Search</button>
      </form>`

/** Returns the page with the published text answers to one question, with a search. */
async function publishedTextsPage(report: ReportRequest, key: string, query: URLSearchParams): Promise<StandalonePage> {
  const { questionnaire: q, questions, texts } = await resultsFor(report)
  const stats = questions.find(({ fields }) => fields.some(({ field }) => field.key === key))
  const field = stats?.fields.find((one) => one.field.key === key)?.field
  if (!field || field.choices.length > 0) throw problems.questionNotFound()
  const search = query.get(SEARCH)?.trim() ?? ''
  const shown = (texts?.get(field.storedKey) ?? []).filter(({ value }) =>
    value.toLowerCase().includes(search.toLowerCase()),
  )
  return {
    ...headOf(report, q, field),
    content: html`
      ${searchForm(report, key, search)}
      ${listView({ texts: shown, hasMore: false, field }, report, { key, search, before: undefined })}`,
  }
}

/** Renders the active filters of the report. Guests have no filters. */
async function chipsView(report: ReportRequest): Promise<Part> {
  if (!isFiltered(report)) return null
  const snapshot = await findSnapshot(report.context, report.survey.id, 'Report')
  const page = filterPageOf(report, snapshot)
  return filterChips(page, await resolveConditions(report.context, snapshot, report.listQuery))
}

interface ListOptions {
  key: string
  search: string | undefined
  before: number | undefined
}

function listView(
  { texts, hasMore, field }: Pick<TextPage, 'hasMore' | 'field'> & { texts: readonly ShownText[] },
  report: ReportRequest,
  { key, search, before }: ListOptions,
): Html {
  const pagePath = (last?: number) =>
    report.basePath + textsPath(key) + formatListQuery(report.listQuery, { [SEARCH]: search, [BEFORE]: last })
  if (texts.length === 0)
    return html`<p class="card" role="status">
      ${search ? t('No answers match.') : before ? t('No older answers.') : t('No answers yet.')}
    </p>`
  return html`
    <section class="card" aria-label="Answers">${textAnswersList(texts, report, field)}</section>
    <nav class="pager" aria-label="Pages">
      ${before && html`<a href="${pagePath()}">Newest</a>`}
      ${hasMore && html`<a href="${pagePath(lastIdIn(texts))}" rel="next">Older</a>`}
    </nav>`
}

function lastIdIn(texts: readonly ShownText[]): number | undefined {
  const last = texts.at(-1)
  return last && 'responseId' in last ? last.responseId : undefined
}
