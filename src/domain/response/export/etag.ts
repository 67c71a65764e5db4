import { hash } from 'node:crypto'
import { type CompiledQuery, type Kysely, sql } from 'kysely'
import { PROGRAM_VERSION } from '../../../lib/program-version.ts'
import type { Tables } from '../../tables.ts'
import type { ExportOptions } from './options.ts'
import type { Query } from './session.ts'

/** Identifies the state of the data from which the file of an export is generated. */
export interface SurveyState {
  revision: number
  /**
   * When the survey was last changed. The revision alone is not sufficient: after a database restore, new changes get
   * the same revisions as lost changes.
   */
  updated: string
  /**
   * Number of the last change of the responses, with its epoch. The number alone is not sufficient: after a database
   * restore, new changes get the same numbers as lost changes, but another epoch (docs/adr/0070).
   */
  change: string
}

/** Selects the state of a survey by primary keys. */
export const stateQuery = (db: Kysely<Tables>, surveyId: number): CompiledQuery<SurveyState> =>
  db
    .selectFrom('survey')
    .leftJoin('survey_feed as feed', 'feed.survey_id', 'survey.id')
    .leftJoin('response_change as change', (join) =>
      join.onRef('change.survey_id', '=', 'feed.survey_id').onRef('change.seq', '=', 'feed.seq'),
    )
    .where('survey.id', '=', surveyId)
    .select([
      'revision',
      sql<string>`extract(epoch from survey.updated_at)::text`.as('updated'),
      sql<string>`concat_ws('.', feed.seq, change.epoch)`.as('change'),
    ])
    .compile()

/** The inputs of an exported file other than the state of the survey. */
export interface FileInputs {
  options: ExportOptions
  /** The query for the rows, with the filters and the conditions that hide columns of anonymous responses. */
  rows: Query
  /** Address of the survey. */
  address: string
}

/** Returns the strong ETag of a file (RFC 9110, 8.8.3): files with the same ETag have the same bytes. */
export function etagOf(state: SurveyState, { options, rows: { sql, parameters }, address }: FileInputs): string {
  const inputs = JSON.stringify([PROGRAM_VERSION, state, options, sql, parameters, address])
  return `"${hash('sha256', inputs, 'base64url').slice(0, 27)}"`
}
