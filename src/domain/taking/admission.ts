import type { PublicContext } from '../context.ts'
import { isFull } from '../response/limits.ts'
import type { CollectorSnapshot, SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'

/** Why a survey takes no answers from somebody just now. */
export type Refusal = 'empty' | 'closed' | 'early' | 'over' | 'invited' | 'used' | 'full'

/**
 * Whether somebody may take a survey through a collector, and if not, why.
 * @param known whether they have a response already, or came with an invitation to this survey
 */
export async function refusalOf(
  { em, now }: PublicContext,
  snapshot: SurveySnapshot,
  collector: CollectorSnapshot,
  known: boolean,
): Promise<Refusal | undefined> {
  const { open_at, close_at, invite_only, max_responses } = collector.settings
  if (!snapshot.questionnaire.fields.length) return 'empty'
  if (!snapshot.live || !collector.live) return 'closed'
  if (open_at && now < new Date(open_at)) return 'early'
  if (close_at && now >= new Date(close_at)) return 'over'
  if (invite_only && !known) return 'invited'
  const bounded = max_responses !== null || snapshot.settings.max_responses !== null
  if (bounded && (await isFull(em.getKysely<Tables>(), snapshot, collector.id))) return 'full'
  return undefined
}
