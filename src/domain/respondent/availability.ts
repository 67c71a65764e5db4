import type { EntityManager } from '@mikro-orm/postgresql'
import type { PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import { isFull } from '../response/submit/quotas.ts'
import { type CollectorSnapshot, getSnapshot, peekSnapshot, type SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'

/**
 * The reason why a survey is closed for the respondents of a collector: the survey or the collector was closed, the
 * opening date has not been reached, or the closing date has passed.
 */
type ClosedReason = 'closed' | 'notYetOpen' | 'ended'

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

/**
 * Returns the current snapshot of the survey that a public URL identifies. The username in the URL can be in upper or
 * lower case.
 * @throws {Problem} `survey_not_found`
 */
export async function findDeployed(context: PublicContext, username: string, slug: string): Promise<SurveySnapshot> {
  if (`${username}${slug}`.includes('\0')) throw problems.surveyNotFound()
  const { services } = context
  const found = await services.respondentLookups.findSurvey(username, slug)
  const cached = found && !found.is_deleted ? peekSnapshot(services, found.id) : undefined
  if (cached && cached.revision === found?.revision) return cached
  const id = found?.id ?? (await findFormerAddress(context.em, username, slug))
  const snapshot = id === undefined ? undefined : await getSnapshot(context.em, id)
  if (!snapshot) throw problems.surveyNotFound()
  return snapshot
}

/** Returns the id of the survey that had an address before it was handed over. */
async function findFormerAddress(em: EntityManager, username: string, slug: string): Promise<number | undefined> {
  const row = await em
    .getKysely<Tables>()
    .selectFrom('survey_address')
    .select('survey_id')
    .where('username', '=', username.toLowerCase())
    .where('slug', '=', slug)
    .executeTakeFirst()
  return row?.survey_id
}

/**
 * Returns the collector with the id in a survey URL. For an unknown id, returns the default collector, so that a
 * mistyped URL still works.
 */
export const collectorOf = (snapshot: SurveySnapshot, id: number | undefined): CollectorSnapshot =>
  (id !== undefined && snapshot.collectors.get(id)) || snapshot.defaultCollector

/**
 * Returns whether the last page of a response uses up its invitation. Otherwise the response is linked to the
 * invitation, the invitation permits several responses, or the response is older than the anonymity of the survey and
 * its invitation is already used up.
 * @param stored the response; undefined if it does not exist yet
 */
export const claimsInvitation = (
  { ownIdsFrom }: SurveySnapshot,
  { settings: { anonymous, one_per_invite } }: CollectorSnapshot,
  stored: { id: number } | undefined,
): boolean => anonymous && one_per_invite && (stored === undefined || (ownIdsFrom !== null && stored.id >= ownIdsFrom))

/**
 * Returns whether a visitor may answer a survey that requires an invitation. An anonymous response does not contain its
 * invitation, so each of its pages needs the code, and the last page uses it up.
 */
export const isInvited = (
  snapshot: SurveySnapshot,
  collector: CollectorSnapshot,
  stored: { id: number } | undefined,
  invited: object | undefined,
): boolean => invited !== undefined || (stored !== undefined && !claimsInvitation(snapshot, collector, stored))
