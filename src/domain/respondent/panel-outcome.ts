import type { PublicContext } from '../context.ts'
import { hasQuotaSlot } from '../response/submit/quotas.ts'
import type { ResponseRecord } from '../response/submit/save.ts'
import { matchingQuotas } from '../structure/quota.ts'
import type { PanelOutcome } from '../survey/panel-return.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import { endOf, pathOf } from './path.ts'

/**
 * Returns how a response ended for the panel of its respondent; undefined if it has not ended. A full quota ends a
 * response as complete or as terminated. It is told from the others by what is stored: such a response takes no slot of
 * its quotas, or its path does not reach an end.
 */
export async function panelOutcomeOf(
  { em }: PublicContext,
  { id, questionnaire: q }: SurveySnapshot,
  stored: ResponseRecord,
): Promise<PanelOutcome | undefined> {
  const end = endOf(q, stored)
  if (!end) return undefined
  const reached = stored.pagepath === null ? end : pathOf(q, stored.answers, stored.pagepath).end
  if (q.quotas.length > 0 && stored.completed > 0) {
    if (reached !== end) return 'quota_full'
    const isCounted =
      end === 'terminate' ||
      matchingQuotas(q, stored.answers).length === 0 ||
      (await hasQuotaSlot(em.getKysely<Tables>(), id, stored.id))
    if (!isCounted) return 'quota_full'
  }
  return end === 'terminate' ? 'screened_out' : 'complete'
}
