import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Filter, TextColumn } from './condition.ts'

/** What tells who a respondent is: neither stored nor shown where responses are anonymous (the `anonymous` setting). */
const IDENTIFYING: ReadonlySet<TextColumn> = new Set<TextColumn>([
  'username',
  'ip_address',
  'referrer',
  'get_variables',
  'invite_code',
  'invite_email',
  'invite_name',
])

/** Whether responses of the survey, or of one of its collectors, hide who gave them. */
export const isAnonymous = ({ settings, collectors }: SurveySnapshot): boolean =>
  settings.anonymous || [...collectors.values()].some((collector) => collector.settings.anonymous)

/**
 * Whether respondents at a collector are known by more than their answers. Where any collector is anonymous, one that
 * is not there any more counts as anonymous too: it may have been.
 */
export const identifies = (snapshot: SurveySnapshot, collectorId: number): boolean =>
  !isAnonymous(snapshot) || snapshot.collectors.get(collectorId)?.settings.anonymous === false

/** The same filters, so that they find no more than is shown: what is hidden counts as empty. */
export function withoutIdentity(filters: readonly Filter[], snapshot: SurveySnapshot): Filter[] {
  if (!isAnonymous(snapshot)) return [...filters]
  const collectors = [...snapshot.collectors.keys()].filter((id) => identifies(snapshot, id))
  return filters.map((filter) => {
    const { test } = filter
    if (test.kind !== 'text' || !IDENTIFYING.has(test.column)) return filter
    const elsewhere = (test.value === '') !== test.negated
    return { ...filter, test: { kind: 'identified', collectors, elsewhere, test } }
  })
}
