import { type CompiledQuery, sql } from 'kysely'
import type { Context } from '../../context.ts'
import { personalColumns, WEIGHT_FIELD } from '../../structure/meta-fields.ts'
import { findSnapshot } from '../../survey/queries.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import { filePagePath, surveyUrl } from '../../survey-address.ts'
import type { Tables } from '../../tables.ts'
import { withCategories } from '../coding/category-fields.ts'
import { hasAnonymousResponses, showsIdentity } from '../filter/identity.ts'
import { weightOf } from '../filter/weight.ts'
import { type StoredResponse, whereResponses, withCurrentPositions } from '../filter/where.ts'
import { filtersOf, type ResponseSearch } from '../list/queries.ts'
import { responseView, withUri } from '../list/response-view.ts'
import type { ExportOptions } from './columns.ts'
import { needsMark, selectedFields } from './columns.ts'
import type { Lines } from './file.ts'
import { createLines } from './lines.ts'

/** How a survey at one revision is exported. */
export interface ExportPlan {
  snapshot: SurveySnapshot
  options: ExportOptions
  /** Address of the survey. */
  address: string
  lines: Lines
  /** The revision of the coding, if the file contains it. */
  codingRevision: number | undefined
  /** Selects the responses in order of id, starting with `firstId`; without `firstId`, all responses. */
  rows(firstId?: number): CompiledQuery
}

/**
 * Plans an export.
 * @throws {Problem} `survey_not_found`; `invalid_request` for an invalid filter, or an unknown question or language in
 *   the options
 */
export async function planExport(
  context: Context,
  surveyId: number,
  request: ResponseSearch,
  requested: ExportOptions,
): Promise<ExportPlan> {
  const snapshot = await findSnapshot(context, surveyId, 'Export')
  const { slug, ownerUsername: username, questionNumbers: numbers } = snapshot
  const coded = requested.withCategories
    ? await withCategories(context, surveyId, snapshot.questionnaire)
    : { questionnaire: snapshot.questionnaire, answers: undefined, revision: undefined }
  const { questionnaire } = coded
  const options = {
    ...requested,
    marksLabels: requested.marksLabels && needsMark(questionnaire, requested),
    withWeight: snapshot.weighting !== null,
  }
  const filters = await filtersOf(context, snapshot, request)
  const address = surveyUrl(context.services.baseUrl, { username, slug })
  const files = `${context.services.baseUrl}${filePagePath(snapshot.id)}`
  const fields = options.format === 'jsonl' ? selectedFields(questionnaire, options).fields : undefined
  const style = {
    include_labels: options.labels,
    include_codes: options.codes,
    expand_GET: options.expandGet,
    language: options.language,
    fields,
  }
  const uri = `${context.services.baseUrl}/api/v3/surveys/${snapshot.id}/responses/`
  const shown = { ...snapshot, questionnaire }
  const view = (row: StoredResponse) =>
    withUri(responseView(context.services, shown, withCurrentPositions(shown, [row])[0]!, style), uri)
  const lines = createLines({ questionnaire, options, address, files, numbers, survey: snapshot.id, view })
  const all = context.em
    .getKysely<Tables>()
    .selectFrom('response')
    .select(
      lines.fields.map((field) =>
        (field === 'answers' && coded.answers ? coded.answers : visibleValue(field, snapshot, options)).as(field),
      ),
    )
    .where(whereResponses(snapshot.id, filters))
    .$if(options.ids !== undefined, (rows) =>
      rows.where('response.id', '=', sql<number>`any(${`{${options.ids}}`}::bigint[])`),
    )
    .$if(options.numbers !== undefined, (rows) =>
      rows.where('response.number', '=', sql<number>`any(${`{${options.numbers}}`}::integer[])`),
    )
    .orderBy('response.id')
  return {
    snapshot,
    options,
    address,
    lines,
    codingRevision: coded.revision,
    rows: (firstId) =>
      (firstId === undefined ? all : all.where('response.id', '>=', sql<number>`${firstId}::bigint`)).compile(),
  }
}

/**
 * Builds the value of a column. For anonymous responses, the value of an identifying column is null, even if a value
 * was stored earlier. A time in another time zone is a time in UTC that shows the same.
 */
function visibleValue(field: string, snapshot: SurveySnapshot, { timeZone = 'UTC' }: ExportOptions) {
  if (field === WEIGHT_FIELD.column) return weightOf(snapshot.weighting!)
  const column = sql<unknown>`${sql.ref(`response.${field}`)}`
  if (timeZone !== 'UTC' && (field === 'created_at' || field === 'updated_at'))
    return sql<unknown>`timezone('UTC', timezone(${timeZone}::text, ${column}))`
  if (!personalColumns.has(field) || !hasAnonymousResponses(snapshot)) return column
  const identified = [...snapshot.collectors.keys()].filter((id) => showsIdentity(snapshot, id))
  return sql<unknown>`case when response.collector_id = any(${`{${identified}}`}::bigint[]) then ${column} end`
}
