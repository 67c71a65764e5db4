import type { PublicContext } from '../context.ts'
import { isFull } from '../response/submit/quotas.ts'
import type { CollectorSnapshot, SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'

/**
 * The reason why a survey is closed for the respondents of a collector: the survey or the collector was closed, the
 * opening date has not been reached, or the closing date has passed.
 */
export type ClosedReason = 'closed' | 'notYetOpen' | 'ended'

/**
 * The reason why a respondent cannot answer a survey. `empty`: the survey has no questions or was never published.
 * `used`: the invitation was used while the survey was anonymous. `full`: the survey has reached its limit of
 * responses.
 */
export type Unavailability = ClosedReason | 'empty' | 'invitationRequired' | 'used' | 'full'

/** Returns why a survey is closed for the respondents of a collector; undefined if it is open. */
export function closedReason(
  { now }: Pick<PublicContext, 'now'>,
  { live }: SurveySnapshot,
  { live: collectorLive, settings: { open_at, close_at } }: CollectorSnapshot,
): ClosedReason | undefined {
  if (!live || !collectorLive) return 'closed'
  if (open_at && now < new Date(open_at)) return 'notYetOpen'
  if (close_at && now >= new Date(close_at)) return 'ended'
  return undefined
}

/**
 * Returns why a respondent cannot answer a survey through a collector; undefined if the survey is available.
 * @param known whether the respondent is invited (claim.ts)
 * @param tests whether the respondent may test the survey while it is closed
 */
export async function unavailabilityOf(
  context: PublicContext,
  snapshot: SurveySnapshot,
  collector: CollectorSnapshot,
  { known, tests }: { known: boolean; tests: boolean },
): Promise<Unavailability | undefined> {
  const { invite_only, max_responses } = collector.settings
  if (!snapshot.questionnaire.fields.length) return 'empty'
  if (snapshot.unpublished && !tests) return 'empty'
  const reason = closedReason(context, snapshot, collector)
  if (reason && !tests) return reason
  if (invite_only && !known) return 'invitationRequired'
  const limited = max_responses !== null || snapshot.settings.max_responses !== null
  if (limited && (await isFull(context.em.getKysely<Tables>(), snapshot, collector.id))) return 'full'
  return undefined
}
