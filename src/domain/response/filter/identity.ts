import { personalColumns } from '../../structure/meta-fields.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Filter } from './condition.ts'

/** Returns whether responses of the survey, or of one of its collectors, are anonymous. */
export const hasAnonymousResponses = ({ settings, collectors }: SurveySnapshot): boolean =>
  settings.anonymous || [...collectors.values()].some((collector) => collector.settings.anonymous)

/**
 * Returns whether responses of a collector show the identity of respondents. If any collector of the survey is
 * anonymous, deleted collectors are treated as anonymous, because they may have been anonymous.
 */
export const showsIdentity = (snapshot: SurveySnapshot, collectorId: number): boolean =>
  !hasAnonymousResponses(snapshot) || snapshot.collectors.get(collectorId)?.settings.anonymous === false

/**
 * Changes filters so that they do not reveal anonymous respondents: for anonymous responses, fields that identify the
 * respondent are treated as empty.
 */
export function withoutIdentity(filters: readonly Filter[], snapshot: SurveySnapshot): Filter[] {
  if (!hasAnonymousResponses(snapshot)) return [...filters]
  const collectors = [...snapshot.collectors.keys()].filter((id) => showsIdentity(snapshot, id))
  const withoutIdentityIn = (filter: Filter): Filter => {
    const { test } = filter
    if (test.kind === 'any') return { ...filter, test: { ...test, filters: test.filters.map(withoutIdentityIn) } }
    if (test.kind !== 'network' && !(test.kind === 'text' && personalColumns.has(test.column))) return filter
    const elsewhere = test.kind === 'text' && (test.value === '') !== test.negated
    return { ...filter, test: { kind: 'identified', collectors, elsewhere, test } }
  }
  return filters.map(withoutIdentityIn)
}
