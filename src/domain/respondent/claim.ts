import type { CollectorSnapshot, SurveySnapshot } from '../survey/snapshot.ts'

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
