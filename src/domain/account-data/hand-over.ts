import { sql } from 'kysely'
import { unsubscribeAddresses, unsubscribedAmong } from '../contact/unsubscribed-address.ts'
import type { Actor, Context, PublicContext } from '../context.ts'
import { isEmailAddress, readEmailAddress } from '../email-address.ts'
import { detail } from '../error-details.ts'
import { storageUse } from '../file/storage.ts'
import { invalidateGroupSurveys } from '../group/access.ts'
import {
  acceptInvitation,
  type ColleagueInvitation,
  closeInvitation,
  deliver,
  findInvitation,
  type InvitationLink,
  newLink,
  offeredSurveys,
  type ReceivedInvitation,
  stateAt,
} from '../group/colleague-invitations.ts'
import { storeMember } from '../group/commands.ts'
import { expandRoles, parseRoles, type Role } from '../group/group.ts'
import { groupVisibleTo } from '../group/queries.ts'
import { problems } from '../problem.ts'
import { recordActivity, recordSecurityEvent } from '../security/record.ts'
import { reserveSlug } from '../survey/commands.ts'
import { lockFeedAndSurvey } from '../survey/feed.ts'
import { invalidateSurvey } from '../survey/snapshot.ts'
import { lockOrCreateTeam } from '../survey/team.ts'
import type { Tables } from '../tables.ts'
import { moveTheme } from '../theme/store.ts'

/** Maximum number of surveys in an offer. */
export const MAX_OFFERED_SURVEYS = 200
/** Maximum number of offers that a list contains. */
const MAX_LISTED_OFFERS = 200
const MEGABYTE = 1_000_000

/** An offer to hand surveys over, as their owner sees it. `roles`: the roles that the owner keeps. */
export interface HandOver extends ColleagueInvitation {
  surveys: readonly { id: number; name: string }[]
}

const db = ({ em }: PublicContext) => em.getKysely<Tables>()

/**
 * Offers to hand surveys of the actor over to a person, who accepts by a link. Until then, nothing changes. An earlier
 * offer of one of the surveys is withdrawn.
 * @param offer `roles`: the roles that the actor keeps, names separated by spaces
 * @throws {Problem} `survey_not_found`, also for a survey of another owner; `invalid_request`, `too_many_requests`
 */
export async function offerSurveys(
  context: Context,
  { surveys: ids, email: written, roles: names }: { surveys: readonly number[]; email: string; roles: string },
): Promise<InvitationLink & HandOver> {
  const { actor, now, services } = context
  const email = readEmailAddress(written)
  if (!isEmailAddress(email)) throw problems.invalidField('email', 'invalid_email')
  if (email.toLowerCase() === actor.email.toLowerCase())
    throw problems.invalidField('email', 'taken', {}, detail('own_address'))
  const roles = parseRoles(names)
  const wanted = [...new Set(ids)].sort((a, b) => a - b)
  if (wanted.length === 0) throw problems.invalidField('surveys', 'required')
  if (wanted.length > MAX_OFFERED_SURVEYS)
    throw problems.invalidField('surveys', 'too_many', { max: MAX_OFFERED_SURVEYS })
  const surveys = await offeredSurveys(context, actor.id, wanted)
  if (surveys.length < wanted.length) throw problems.surveyNotFound()
  if (!services.invitesNewAccounts && !(await hasAccount(context, email)))
    throw problems.invalidField('email', 'not_found', { value: email }, detail('no_account'))
  const link = await newLink(context)
  await db(context)
    .updateTable('colleague_invitation')
    .set({ state: 'withdrawn' })
    .where('inviter_id', '=', actor.id)
    .where('state', '=', 'pending')
    .where(sql<boolean>`surveys && ${wanted}::bigint[]`)
    .execute()
  const { id } = await db(context)
    .insertInto('colleague_invitation')
    .values({ group_id: null, surveys: wanted, inviter_id: actor.id, email, roles, created_at: now, ...link.values })
    .returning('id')
    .executeTakeFirstOrThrow()
  const what = surveys.map(({ name }) => name).join('”, “')
  return { ...(await deliver(context, { id, email, roles }, link, what, 'hand_over')), surveys }
}

const hasAccount = async (context: Context, email: string): Promise<boolean> =>
  undefined !==
  (await db(context)
    .selectFrom('account')
    .select('id')
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', email.toLowerCase()))
    .executeTakeFirst())

/** Returns the offers of the actor that are pending, expired or declined, newest first. */
export async function listHandOvers(context: Context): Promise<HandOver[]> {
  const { actor, now } = context
  const rows = await db(context)
    .selectFrom('colleague_invitation')
    .select(['id', 'email', 'roles', 'state', 'sent_at', 'expires_at', 'surveys'])
    .where('inviter_id', '=', actor.id)
    .where('surveys', 'is not', null)
    .where('state', 'in', ['pending', 'declined'])
    .orderBy('id', 'desc')
    .limit(MAX_LISTED_OFFERS)
    .execute()
  const names = new Map(
    (await offeredSurveys(context, actor.id, [...new Set(rows.flatMap(({ surveys }) => surveys!.map(Number)))])).map(
      (survey) => [survey.id, survey],
    ),
  )
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    roles: row.roles,
    state: stateAt(now, row.state, row.expires_at),
    sentAt: new Date(row.sent_at),
    expiresAt: new Date(row.expires_at),
    surveys: row.surveys!.flatMap((id) => names.get(Number(id)) ?? []),
  }))
}

/**
 * Withdraws a pending offer. Its link stops working.
 * @throws {Problem} `hand_over_not_found`, also for one that was answered or withdrawn
 */
export async function withdrawHandOver(context: Context, id: number): Promise<void> {
  const { numUpdatedRows } = await db(context)
    .updateTable('colleague_invitation')
    .set({ state: 'withdrawn' })
    .where('id', '=', id)
    .where('inviter_id', '=', context.actor.id)
    .where('surveys', 'is not', null)
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw problems.handOverNotFound()
}

/**
 * Accepts an invitation of either kind: the actor joins a group, or becomes the owner of the offered surveys.
 * @returns the invitation, with the surveys that the actor owns now
 * @throws {Problem} `link_expired`; `forbidden` for the inviter; `storage_full` if the files of the surveys do not fit
 *   into the storage of the actor
 */
export async function acceptAnyInvitation(context: Context, token: string): Promise<ReceivedInvitation> {
  const invitation = await findInvitation(context, token)
  if (!invitation?.handOver) return acceptInvitation(context, token)
  const { actor } = context
  const { ownerId, handOver, roles } = invitation
  if (invitation.state !== 'pending') throw problems.linkExpired()
  if (ownerId === actor.id) throw problems.forbidden('accept your own invitation')
  await closeInvitation(context, token, 'accepted')
  const taken = await takeOver(context, handOver, { from: ownerId, roles, by: actor.id })
  if (taken.length === 0) throw problems.linkExpired()
  return { ...invitation, handOver: taken }
}

/**
 * Makes the actor the owner of surveys. Call it inside a transaction.
 * @param change `from`: the former owner; `roles`: the roles that the former owner keeps; `by`: who caused the change
 * @returns the surveys that the former owner still owned
 * @throws {Problem} `storage_full` if the files exceed the space of the actor
 */
export async function takeOver(
  context: Context,
  surveys: readonly { id: number; name: string }[],
  { from, roles, by }: { from: number; roles: readonly Role[]; by: number },
): Promise<{ id: number; name: string }[]> {
  const { actor, services } = context
  const before = await storageUse(context, actor.id)
  const taken: { id: number; name: string }[] = []
  for (const survey of surveys) if (await changeOwner(context, survey.id, from, roles)) taken.push(survey)
  const max = services.files.megabytesPerAccount
  const after = await storageUse(context, actor.id)
  if (max > 0 && after.ofAccount > max * MEGABYTE && after.ofAccount > before.ofAccount) throw problems.storageFull(max)
  for (const { id } of taken.toReversed())
    await recordActivity(context, id, 'survey_handed_over', { by, from, to: actor.id })
  for (const { id } of taken)
    await recordSecurityEvent(context, from, 'survey_handed_over', { survey: id, by, from, to: actor.id })
  return taken
}

/**
 * Makes the actor the owner of a survey. Everyone else keeps the access that they have: the members of groups that the
 * actor could not see, and of groups that belong to the former owner, become members of the team.
 * @param kept the roles that the former owner keeps
 * @returns false if the former owner no longer owns the survey
 */
async function changeOwner(context: Context, surveyId: number, from: number, kept: readonly Role[]): Promise<boolean> {
  const { actor, now } = context
  await lockGroupsOf(context, surveyId)
  await lockFeedAndSurvey(db(context), surveyId)
  const survey = await db(context)
    .selectFrom('survey')
    .innerJoin('account', 'account.id', 'survey.owner_id')
    .select(['survey.name', 'survey.slug', 'account.username'])
    .where('survey.id', '=', surveyId)
    .where('owner_id', '=', from)
    .where('survey.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!survey) return false
  const slug = await slugFor(context, surveyId, survey.slug)
  await db(context)
    .updateTable('survey')
    .set({ owner_id: actor.id, slug, updated_at: now })
    .where('id', '=', surveyId)
    .execute()
  await db(context)
    .insertInto('survey_address')
    .values({ username: survey.username.toLowerCase(), slug: survey.slug, survey_id: surveyId })
    .execute()
  await moveTheme(context.em, surveyId, from, actor.id)
  await moveTeam(context, surveyId, from, kept)
  await deleteWebhooks(context, surveyId, from)
  await keepUnsubscribed(context, surveyId, from)
  await invalidateSurvey(context.em, surveyId)
  return true
}

/** Locks the groups of a survey, because groups are locked before surveys. */
async function lockGroupsOf(context: Context, surveyId: number): Promise<void> {
  const ids = db(context).selectFrom('survey_group').select('group_id').where('survey_id', '=', surveyId)
  const groups = db(context).selectFrom('account_group').select('id').where('id', 'in', ids)
  await groups.orderBy('id').forNoKeyUpdate().execute()
}

/** Returns a slug at the new owner. A survey that comes back gets its former address. */
async function slugFor(context: Context, surveyId: number, slug: string): Promise<string> {
  const former = await db(context)
    .deleteFrom('survey_address')
    .where('survey_id', '=', surveyId)
    .where('username', '=', context.actor.username.toLowerCase())
    .returning('slug')
    .execute()
  return former[0]?.slug ?? reserveSlug(context, slug)
}

/** Gives the team of a survey to the actor, and adds everyone who would lose access. */
async function moveTeam(context: Context, surveyId: number, from: number, kept: readonly Role[]): Promise<void> {
  const { actor } = context
  const shared = db(context)
    .selectFrom('survey_group')
    .innerJoin('account_group', 'account_group.id', 'survey_group.group_id')
    .where('survey_id', '=', surveyId)
    .where('account_group.id', 'not in', (eb) => eb.selectFrom('survey_team').select('group_id'))
    .where((eb) => eb.or([eb('owner_id', '=', from), eb.not(groupVisibleTo(actor)(eb as never))]))
    .select('account_group.id')
  const groups = (await shared.execute()).map(({ id }) => id)
  const members = groups.length
    ? await db(context)
        .selectFrom('group_member')
        .select(['account_id', 'roles'])
        .where('group_id', 'in', groups)
        .where('account_id', 'not in', [actor.id, from])
        .execute()
    : []
  const needsTeam = members.length > 0 || kept.length > 0 || (await hasTeam(context, surveyId))
  if (needsTeam) await ownTeam(context, surveyId, from, kept, members)
  if (groups.length > 0)
    await db(context)
      .deleteFrom('survey_group')
      .where('survey_id', '=', surveyId)
      .where('group_id', 'in', groups)
      .execute()
}

const hasTeam = async (context: Context, surveyId: number): Promise<boolean> =>
  undefined !==
  (await db(context).selectFrom('survey_team').select('group_id').where('survey_id', '=', surveyId).executeTakeFirst())

/** Makes the actor the owner of the group of the team, and adds members. */
async function ownTeam(
  context: Context,
  surveyId: number,
  from: number,
  kept: readonly Role[],
  members: readonly { account_id: number; roles: readonly Role[] }[],
): Promise<void> {
  const { actor } = context
  const team = await lockOrCreateTeam(context, surveyId)
  await db(context).updateTable('account_group').set({ owner_id: actor.id }).where('id', '=', team).execute()
  await db(context)
    .updateTable('colleague_invitation')
    .set({ inviter_id: actor.id })
    .where('group_id', '=', team)
    .where('state', '=', 'pending')
    .execute()
  await db(context)
    .deleteFrom('group_member')
    .where('group_id', '=', team)
    .where('account_id', 'in', [actor.id, from])
    .execute()
  const present = await db(context)
    .selectFrom('group_member')
    .select(['account_id', 'roles'])
    .where('group_id', '=', team)
    .execute()
  for (const [account, rows] of Map.groupBy(members, ({ account_id }) => account_id)) {
    const own = present.find(({ account_id }) => account_id === account)?.roles ?? []
    const roles = expandRoles([...own, ...rows.flatMap(({ roles }) => roles)])
    await storeMember(context, team, account, parseRoles([...roles].join(' ')))
  }
  if (kept.length > 0) await storeMember(context, team, from, kept)
  await invalidateGroupSurveys(context.em, team)
}

/** Deletes the webhooks of the former owner for this survey: its responses no longer belong to this account. */
async function deleteWebhooks(context: Context, surveyId: number, from: number): Promise<void> {
  const own = db(context)
    .selectFrom('webhook')
    .select('id')
    .where('account_id', '=', from)
    .where('survey_id', '=', surveyId)
  await db(context).deleteFrom('webhook_delivery').where('webhook_id', 'in', own).execute()
  await db(context).deleteFrom('webhook').where('account_id', '=', from).where('survey_id', '=', surveyId).execute()
}

/** Remembers for the new owner which invited people want no more mail. */
async function keepUnsubscribed(context: Context, surveyId: number, from: number): Promise<void> {
  const rows = await db(context)
    .selectFrom('invite')
    .select('email')
    .where('survey_id', '=', surveyId)
    .where('email', 'is not', null)
    .distinct()
    .execute()
  if (rows.length === 0) return
  const addresses = await unsubscribedAmong(
    context,
    from,
    rows.map(({ email }) => email!),
  )
  await unsubscribeAddresses(context, context.actor.id, addresses, null)
}

/** Returns surveys that the actor owns: first those with the ids, then the newest. */
export const listOwnSurveys = (context: Context, ids: readonly number[]) =>
  db(context)
    .selectFrom('survey')
    .select(['id', 'name'])
    .where('owner_id', '=', context.actor.id)
    .where('deleted_at', 'is', null)
    .orderBy((eb) => eb('id', '=', eb.fn.any(eb.val([...ids]))), 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_OFFERED_SURVEYS)
    .execute()

/** Returns the surveys of an account on which other people work. */
export const surveysOfOthers = (context: PublicContext, { id }: Pick<Actor, 'id'>) =>
  db(context)
    .selectFrom('survey')
    .select(['survey.id', 'survey.name'])
    .where('survey.owner_id', '=', id)
    .where('survey.deleted_at', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('survey_group')
          .innerJoin('group_member', 'group_member.group_id', 'survey_group.group_id')
          .select('survey_group.survey_id')
          .whereRef('survey_group.survey_id', '=', 'survey.id')
          .where('group_member.account_id', '!=', id),
      ),
    )
    .orderBy('survey.id')
    .execute()
