import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { whereResponses } from '../response/filter/where.ts'
import type { ResponseSearch } from '../response/list/queries.ts'
import type { Field, Questionnaire } from '../structure/questionnaire.ts'
import { findSnapshot } from '../survey/queries.ts'
import type { Tables } from '../tables.ts'
import type { TextAnswer } from './recent-answers.ts'
import { type ReportFilter, reportFilters } from './show.ts'

export interface TextPage {
  q: Questionnaire
  field: Field
  texts: TextAnswer[]
  /** Whether older answers exist. */
  hasMore: boolean
}

/**
 * Lists the answers to a text question, newest first. Scans the index of the primary key backwards, without sorting.
 * @param key response key of the field (docs/specification.md 7.3)
 * @param search part of the text, regardless of case
 * @param before a response id: lists only responses with lower ids, for the next page
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_request`; `question_not_found` if the key is unknown, is
 *   not in the report, or belongs to a question with choices
 */
export async function listTexts(
  context: Context,
  surveyId: number,
  report: ReportFilter,
  request: ResponseSearch,
  { key, search, before, limit }: { key: string; search?: string; before?: number; limit: number },
): Promise<TextPage> {
  const snapshot = await findSnapshot(context, surveyId, 'Analyze')
  const q = snapshot.questionnaire
  const field = q.byKey.get(key)
  const isShown = !report.questions || report.questions.includes(field?.question.id ?? '')
  if (!field || field.choices.length > 0 || !isShown) throw problems.questionNotFound()
  const filters = await reportFilters(context, snapshot, report, request)
  const answerText = sql<string>`response.answers ->> ${field.storedKey}::text`
  const rows = await context.em
    .getKysely<Tables>()
    .selectFrom('response')
    .where(whereResponses(surveyId, filters))
    .where(sql<boolean>`response.answers -> ${field.storedKey}::text is not null`)
    .$if(before !== undefined, (query) => query.where('response.id', '<', before!))
    .$if(Boolean(search), (query) =>
      query.where((eb) =>
        eb(eb.fn<number>('strpos', [sql`lower(${answerText})`, sql`lower(${search}::text)`]), '>', 0),
      ),
    )
    .select(['response.id', 'response.number', 'response.created_at', answerText.as('value')])
    .orderBy('response.id', 'desc')
    .limit(limit + 1)
    .execute()
  const texts = rows
    .slice(0, limit)
    .map((row) => ({ responseId: row.id, responseNumber: row.number, value: row.value, at: new Date(row.created_at) }))
  return { q, field, texts, hasMore: rows.length > limit }
}
