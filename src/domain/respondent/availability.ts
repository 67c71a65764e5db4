import type { PublicContext } from '../context.ts'
import { isFull } from '../response/submit/quotas.ts'
import type { CollectorSnapshot, SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'

/** How a survey is shut: by hand, or because its time has not come, or has passed. */
export type ClosedReason = 'closed' | 'early' | 'over'

/** Why a survey takes no answers from somebody just now. */
export type Unavailability = ClosedReason | 'empty' | 'invited' | 'used' | 'full'

/** Whether a survey is shut for those who come through a collector; undefined: it is open. */
export function closedReason(
  { now }: Pick<PublicContext, 'now'>,
  { live }: SurveySnapshot,
  { live: collects, settings: { open_at, close_at } }: CollectorSnapshot,
): ClosedReason | undefined {
  if (!live || !collects) return 'closed'
  if (open_at && now < new Date(open_at)) return 'early'
  if (close_at && now >= new Date(close_at)) return 'over'
  return undefined
}

/**
 * Whether somebody may take a survey through a collector, and if not, why.
 * @param known whether they have a response already, or came with an invitation to this survey
 * @param tests whether they try it out, and may while it is shut
 */
export async function unavailabilityOf(
  context: PublicContext,
  snapshot: SurveySnapshot,
  collector: CollectorSnapshot,
  { known, tests }: { known: boolean; tests: boolean },
): Promise<Unavailability | undefined> {
  const { invite_only, max_responses } = collector.settings
  if (!snapshot.questionnaire.fields.length) return 'empty'
  const shut = closedReason(context, snapshot, collector)
  if (shut && !tests) return shut
  if (invite_only && !known) return 'invited'
  const bounded = max_responses !== null || snapshot.settings.max_responses !== null
  if (bounded && (await isFull(context.em.getKysely<Tables>(), snapshot, collector.id))) return 'full'
  return undefined
}
