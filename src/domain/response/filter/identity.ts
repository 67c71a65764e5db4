import { personalColumns } from '../../structure/meta-fields.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Filter } from './condition.ts'

/** Returns whether responses of the survey, or of one of its collectors, are anonymous. */
export const isAnonymous = ({ settings, collectors }: SurveySnapshot): boolean =>
  settings.anonymous || [...collectors.values()].some((collector) => collector.settings.anonymous)

/**
 * Returns whether responses of a collector show the identity of respondents. Where any collector is anonymous, a deleted
 * one counts as anonymous too, because it may have been.
 */
export const identifies = (snapshot: SurveySnapshot, collectorId: number): boolean =>
  !isAnonymous(snapshot) || snapshot.collectors.get(collectorId)?.settings.anonymous === false

/** Changes filters so that they match the shown values only: identity of anonymous responses counts as empty. */
export function withoutIdentity(filters: readonly Filter[], snapshot: SurveySnapshot): Filter[] {
  if (!isAnonymous(snapshot)) return [...filters]
  const collectors = [...snapshot.collectors.keys()].filter((id) => identifies(snapshot, id))
  return filters.map((filter) => {
    const { test } = filter
    if (test.kind !== 'text' || !personalColumns.has(test.column)) return filter
    const elsewhere = (test.value === '') !== test.negated
    return { ...filter, test: { kind: 'identified', collectors, elsewhere, test } }
  })
}
