import type { Context } from '../../context.ts'
import { Problem, problems } from '../../problem.ts'
import type { MetaTextColumn } from '../../structure/meta-fields.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import { type Filter, parseFilters } from './filter.ts'

/** A stored query contains only filters, and no other parameters. */
const NO_PARAMETERS: ReadonlySet<string> = new Set()

const notEmpty = (column: MetaTextColumn): Filter => ({
  name: `_${column}`,
  operator: '=',
  value: '',
  test: { kind: 'text', column, value: '', negated: true },
})

/**
 * The predefined filters by name. Every survey has them (docs/specification.md 7.6). Saved filters cannot have these
 * names.
 */
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
  ['invite_emails', notEmpty('invite_email')],
  ['invite_codes', notEmpty('invite_code')],
])

/**
 * Returns the conditions of a predefined or saved filter.
 * @throws {Problem} `invalid_request` for an unknown name, and for a saved filter with a condition on a removed
 *   question. The condition is not ignored, because the filter would then match more responses.
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
  if (!saved) throw problems.invalidField('filter', 'unknown_filter', { value: name })
  try {
    return parseFilters(saved.query, snapshot.questionnaire, 'strict', NO_PARAMETERS, true)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw problems.invalidField(
      'filter',
      'invalid_filter',
      { value: name },
      `no longer matches the survey (${error.message})`,
    )
  }
}
