import type { Context } from '../context.ts'
import { can } from '../group/access.ts'
import { problems } from '../problem.ts'
import { accessIn } from '../survey/queries.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'

type Reader = Pick<Context, 'actor' | 'isGuest'>

/**
 * Returns whether the reader of a report may not view responses, and so sees published figures only
 * (docs/anonymity-threshold.md).
 */
export const seesPublishedOnly = ({ actor, isGuest }: Reader, snapshot: SurveySnapshot): boolean =>
  snapshot.settings.anonymity_threshold > 1 && (isGuest === true || !can(accessIn(snapshot, actor), 'View'))

/**
 * Checks that the reader may see exact figures, and choose the responses that they are about.
 * @throws {Problem} `forbidden`
 */
export function assertExactFigures(reader: Reader, snapshot: SurveySnapshot): void {
  if (seesPublishedOnly(reader, snapshot)) throw problems.roleRequired(['View'])
}

/** Returns the anonymity threshold for a reader who sees published figures only; undefined for other readers. */
export const thresholdFor = (reader: Reader, snapshot: SurveySnapshot): number | undefined =>
  seesPublishedOnly(reader, snapshot) ? snapshot.settings.anonymity_threshold : undefined
