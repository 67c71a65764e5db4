import type { Context } from '../../context.ts'
import { Problem, problems } from '../../problem.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import type { TextColumn } from './condition.ts'
import { type Filter, parseFilters } from './filter.ts'

/** What a saved filter may not name: everything else in its query is a condition. */
const NOTHING: ReadonlySet<string> = new Set()

const given = (column: TextColumn): Filter => ({
  name: `_${column}`,
  operator: '=',
  value: '',
  test: { kind: 'text', column, value: '', negated: true },
})

/** The filters that every survey has (specification, "v2: surveys"); their names are taken. */
export const predefinedFilters: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  [
    'completed',
    {
      name: '_completed',
      operator: '=',
      value: '1',
      test: { kind: 'number', column: 'completed', operator: '=', value: 1 },
    },
  ],
  ['invite_emails', given('invite_email')],
  ['invite_codes', given('invite_code')],
])

/**
 * The conditions behind a filter's name.
 * @throws {Problem} `invalid_request` for a name that the survey does not have, and for a saved filter that asks for a
 *   question which is no longer there: with fewer conditions it would find too much
 */
export async function namedFilter({ em }: Context, snapshot: SurveySnapshot, name: string): Promise<Filter[]> {
  const predefined = predefinedFilters.get(name)
  if (predefined) return [predefined]
  const saved = await em
    .getKysely<Tables>()
    .selectFrom('saved_filter')
    .select('query')
    .where('survey_id', '=', snapshot.id)
    .where('name', '=', name)
    .executeTakeFirst()
  if (!saved) throw problems.invalidField('filter', `${JSON.stringify(name)} is no filter of this survey`)
  try {
    return parseFilters(saved.query, snapshot.questionnaire, 'strict', NOTHING, true)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw problems.invalidField('filter', `${JSON.stringify(name)} no longer fits this survey (${error.message})`)
  }
}
