import type { Readable } from 'node:stream'
import { type CompiledQuery, sql } from 'kysely'
import type { Context } from '../../context.ts'
import { recordThrottled } from '../../security/record.ts'
import { personalColumns } from '../../structure/meta-fields.ts'
import { findSnapshot } from '../../survey/queries.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import { surveyUrl } from '../../survey-address.ts'
import type { Tables } from '../../tables.ts'
import type { Filter } from '../filter/filter.ts'
import { hasAnonymousResponses, showsIdentity } from '../filter/identity.ts'
import { whereResponses } from '../filter/where.ts'
import { filtersOf, type ResponseSearch } from '../list/queries.ts'
import { createLines, type Lines } from './lines.ts'
import type { ExportOptions } from './options.ts'
import { ExportStream } from './stream.ts'

/** A CSV file as a stream. */
export interface Export {
  filename: string
  charset: 'utf-8' | 'utf-16le'
  /** The query starts when the stream is read. Destroy the stream if it is not read. */
  stream: Readable
}

/**
 * Exports the responses to a survey as of one moment as a CSV file, in order of id.
 * @throws {Problem} `survey_not_found`; `invalid_request` for an invalid filter or an unknown question in `include`
 */
export async function exportResponses(
  context: Context,
  surveyId: number,
  request: ResponseSearch,
  options: ExportOptions,
): Promise<Export> {
  const snapshot = await findSnapshot(context, surveyId, 'Analyze')
  const { questionnaire, slug, ownerUsername: username } = snapshot
  const filters = await filtersOf(context, snapshot, request)
  const lines = createLines({
    questionnaire,
    options,
    address: surveyUrl(context.services.baseUrl, { username, slug }),
  })
  const query = rowsOf(context, snapshot, lines, filters, options)
  await recordThrottled(context, snapshot.ownerId, 'exported', { survey: surveyId, by: context.actor.id })
  return {
    filename: `${slug}.csv`,
    charset: options.tabSeparated ? 'utf-16le' : 'utf-8',
    stream: new ExportStream({ pool: context.services.pool, query, lines, options }),
  }
}

function rowsOf(
  { em }: Context,
  snapshot: SurveySnapshot,
  { fields }: Lines,
  filters: readonly Filter[],
  { ids }: ExportOptions,
): CompiledQuery {
  let rows = em
    .getKysely<Tables>()
    .selectFrom('response')
    .select(fields.map((field) => visibleValue(field, snapshot).as(field)))
    .where(whereResponses(snapshot.id, filters))
    .orderBy('response.id')
  if (ids) rows = rows.where('response.id', '=', sql<number>`any(${`{${ids}}`}::bigint[])`)
  return rows.compile()
}

/** Builds the value of a column. The identity is null for anonymous responses, even if it was stored before. */
function visibleValue(field: string, snapshot: SurveySnapshot) {
  const column = sql<unknown>`${sql.ref(`response.${field}`)}`
  if (!personalColumns.has(field) || !hasAnonymousResponses(snapshot)) return column
  const identified = [...snapshot.collectors.keys()].filter((id) => showsIdentity(snapshot, id))
  return sql<unknown>`case when response.collector_id = any(${`{${identified}}`}::bigint[]) then ${column} end`
}
