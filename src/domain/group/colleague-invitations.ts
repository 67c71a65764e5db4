import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { digest } from '../../lib/secrets.ts'
import type { Context, PublicContext } from '../context.ts'
import { isEmailAddress, readEmailAddress } from '../email-address.ts'
import { reserveEmailQuota } from '../email-quota.ts'
import { detail } from '../error-details.ts'
import { problems } from '../problem.ts'
import { surveyChain } from '../security/chain.ts'
import { recordActivity, recordSecurityEvent, type SecurityEventDetails } from '../security/record.ts'
import { notifyOwner } from '../system-email.ts'
import type { Tables } from '../tables.ts'
import { lockOwnGroup, recordRoles, storeMember } from './commands.ts'
import { parseRoles, type Role } from './group.ts'

/** How long the link of an invitation is valid. */
export const INVITATION_DAYS = 7
const DAY_MS = 86_400_000
/** Maximum number of links that an account can make in 24 hours. */
const MAX_LINKS_PER_DAY = 100
/** Maximum number of pending invitations to a group. */
const MAX_PENDING = 200

/** An invitation as the owner of the group sees it. */
export interface ColleagueInvitation {
  id: number
  email: string
  roles: readonly Role[]
  state: 'pending' | 'expired' | 'accepted' | 'declined' | 'withdrawn'
  sentAt: Date
  expiresAt: Date
}

/** An invitation with a new link. */
export interface InvitationLink extends ColleagueInvitation {
  /** The link, if no email takes it to the person; it cannot be read again. */
  url: string | undefined
}

const db = ({ em }: PublicContext) => em.getKysely<Tables>()

/** Returns the hash under which the token of an invitation is stored. */
export const hashOf = ({ services }: PublicContext, token: string) => digest(services.secretKey, `colleague ${token}`)

/**
 * Invites a person to a group of the actor.
 * @param roles names separated by spaces
 * @throws {Problem} `group_not_found`, `forbidden`, `invalid_request`, `too_many_requests`
 */
export async function inviteToGroup(
  context: Context,
  groupId: number,
  invitation: { email: string; roles: string },
): Promise<InvitationLink> {
  const group = await lockOwnGroup(context, groupId)
  return inviteColleague(context, groupId, invitation, { what: group.name, details: { group: groupId } })
}

/**
 * Invites a person to a group, and queues the email with the link. Unless the operator turned new accounts off, whether an
 * account uses the address makes no difference, so the owner does not learn it. A pending invitation of the same address gets the new roles and a new
 * link. The caller has locked the group, and checked that the actor owns it.
 * @param target what the email names, and what the security log names
 * @throws {Problem} `invalid_request`, `too_many_requests`
 */
export async function inviteColleague(
  context: Context,
  groupId: number,
  { email: written, roles: names }: { email: string; roles: string },
  target: { what: string; details: { group: number } | { survey: number } },
): Promise<InvitationLink> {
  const { actor, now } = context
  const email = readEmailAddress(written)
  if (!isEmailAddress(email)) throw problems.invalidField('email', 'invalid_email')
  const roles = parseRoles(names)
  if (roles.length === 0) throw problems.invalidField('roles', 'required')
  await assertNewMember(context, groupId, email)
  const pending = db(context)
    .selectFrom('colleague_invitation')
    .where('group_id', '=', groupId)
    .where('state', '=', 'pending')
  const { count } = await pending.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  if (count >= MAX_PENDING) throw problems.invalidField('email', 'too_many', { max: MAX_PENDING })
  const link = await newLink(context)
  const { id } = await db(context)
    .insertInto('colleague_invitation')
    .values({ group_id: groupId, inviter_id: actor.id, email, roles, created_at: now, ...link.values })
    .onConflict((conflict) =>
      conflict
        .expression(sql`group_id, lower(email)`)
        .where('state', '=', 'pending')
        .doUpdateSet((eb) => ({ roles, ...link.values, sends: eb('colleague_invitation.sends', '+', 1) })),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  const details = { ...target.details, by: actor.id, invitation: id, roles }
  const chain = 'survey' in target.details ? surveyChain(target.details.survey) : actor.id
  await recordSecurityEvent(context, chain, 'colleague_invited', details)
  return deliver(context, { id, email, roles }, link, target.what)
}

/**
 * @throws {Problem} `invalid_request` for the address of the actor or of a member, and for an address without an account
 *   if the operator does not permit new accounts
 */
async function assertNewMember(context: Context, groupId: number, email: string): Promise<void> {
  if (email.toLowerCase() === context.actor.email.toLowerCase())
    throw problems.invalidField('email', 'taken', {}, detail('own_address'))
  const account = await db(context)
    .selectFrom('account')
    .leftJoin('group_member', (join) =>
      join.onRef('group_member.account_id', '=', 'account.id').on('group_member.group_id', '=', groupId),
    )
    .select('group_member.group_id as group')
    .where((eb) => eb(eb.fn<string>('lower', ['account.email']), '=', sql<string>`lower(${email})`))
    .executeTakeFirst()
  if (!account && !context.services.invitesNewAccounts)
    throw problems.invalidField('email', 'not_found', { value: email }, detail('no_account'))
  if (account && account.group !== null) throw problems.invalidField('email', 'taken', {}, detail('already_member'))
}

/**
 * Makes a token, and counts it against the daily limit of the actor.
 * @throws {Problem} `too_many_requests`
 */
export async function newLink(context: Context) {
  const { actor, now, services } = context
  // Locks the row, so that concurrent requests count one after the other.
  await db(context).selectFrom('account').select('id').where('id', '=', actor.id).forNoKeyUpdate().execute()
  const { sends } = await db(context)
    .selectFrom('colleague_invitation')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('sends'), eb.lit(0)).as('sends'))
    .where('inviter_id', '=', actor.id)
    .where('sent_at', '>', new Date(now.getTime() - DAY_MS).toISOString())
    .executeTakeFirstOrThrow()
  if (services.rateLimit && Number(sends) >= MAX_LINKS_PER_DAY)
    throw problems.tooManyRequests(
      `An account can invite at most ${MAX_LINKS_PER_DAY} colleagues a day.`,
      DAY_MS / 1000,
    )
  const token = randomBytes(32).toString('base64url')
  const expires_at = new Date(now.getTime() + INVITATION_DAYS * DAY_MS)
  return { token, values: { hash: hashOf(context, token), sent_at: now, expires_at } }
}

/** Queues the email with the link, or returns the link if the server has no mail server. */
export async function deliver(
  context: Context,
  { id, email, roles }: Pick<ColleagueInvitation, 'id' | 'email' | 'roles'>,
  { token, values }: Awaited<ReturnType<typeof newLink>>,
  what: string,
  name: 'colleague_invitation' | 'hand_over' = 'colleague_invitation',
): Promise<InvitationLink> {
  const { actor, services } = context
  const url = `${services.baseUrl}/accounts/invitations/?key=${token}`
  const sent = { id, email, roles, state: 'pending' as const, sentAt: values.sent_at, expiresAt: values.expires_at }
  if (!services.hasMailServer) return { ...sent, url }
  await reserveEmailQuota(context, 1, context.now)
  await notifyOwner(context, actor.id, {
    to: email,
    toName: '',
    name,
    values: { inviter: actor.name || actor.username, what, url, days: String(INVITATION_DAYS) },
  })
  return { ...sent, url: undefined }
}

/** Returns a query for an invitation to a group that the actor owns. */
const ownInvitation = (context: Context, groupId: number, id: number) =>
  db(context)
    .selectFrom('colleague_invitation')
    .innerJoin('account_group', 'account_group.id', 'colleague_invitation.group_id')
    .where('account_group.owner_id', '=', context.actor.id)
    .where('group_id', '=', groupId)
    .where('colleague_invitation.id', '=', id)

/**
 * Sends a pending or expired invitation again, with a new link. The old link stops working.
 * @param what what the email names
 * @throws {Problem} `invitation_not_found`, also for one that was answered or withdrawn; `too_many_requests`
 */
export async function resendInvitation(
  context: Context,
  groupId: number,
  id: number,
  what: string,
): Promise<InvitationLink> {
  const found = await ownInvitation(context, groupId, id)
    .select(['email', 'roles'])
    .where('state', '=', 'pending')
    .executeTakeFirst()
  if (!found) throw problems.invitationNotFound()
  const link = await newLink(context)
  const { numUpdatedRows } = await db(context)
    .updateTable('colleague_invitation')
    .set((eb) => ({ ...link.values, sends: eb('sends', '+', 1) }))
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw problems.invitationNotFound()
  return deliver(context, { id, ...found }, link, what)
}

/**
 * Withdraws a pending invitation. Its link stops working.
 * @throws {Problem} `invitation_not_found`, also for one that was answered or withdrawn
 */
export async function withdrawInvitation(context: Context, groupId: number, id: number): Promise<void> {
  const own = ownInvitation(context, groupId, id).select('colleague_invitation.id')
  const team = await db(context)
    .selectFrom('survey_team')
    .select('survey_id')
    .where('group_id', '=', groupId)
    .executeTakeFirst()
  const { numUpdatedRows } = await db(context)
    .updateTable('colleague_invitation')
    .set({ state: 'withdrawn' })
    .where('id', 'in', own)
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw problems.invitationNotFound()
  const details = { invitation: id, as: 'withdrawn' }
  if (team) await recordActivity(context, team.survey_id, 'colleague_invitation_closed', details)
  else await recordSecurityEvent(context, context.actor.id, 'colleague_invitation_closed', details)
}

/**
 * Returns the invitations to a group that are pending, expired or declined, newest first. The caller checks the access.
 */
export async function listInvitations(context: Context, groupId: number): Promise<ColleagueInvitation[]> {
  const rows = await db(context)
    .selectFrom('colleague_invitation')
    .select(['id', 'email', 'roles', 'state', 'sent_at', 'expires_at'])
    .where('group_id', '=', groupId)
    .where('state', 'in', ['pending', 'declined'])
    .orderBy('id', 'desc')
    .limit(MAX_PENDING)
    .execute()
  return rows.map(({ id, email, roles, state, sent_at, expires_at }) => ({
    id,
    email,
    roles,
    state: stateAt(context.now, state, expires_at),
    sentAt: new Date(sent_at),
    expiresAt: new Date(expires_at),
  }))
}

export const stateAt = (now: Date, state: Exclude<ColleagueInvitation['state'], 'expired'>, expiresAt: string) =>
  state === 'pending' && new Date(expiresAt) <= now ? 'expired' : state

/** An invitation as the holder of the link sees it. */
export interface ReceivedInvitation {
  id: number
  /** Undefined for an offer to hand surveys over. */
  groupId: number | undefined
  /** The surveys that are offered; undefined for an invitation to a group. */
  handOver: readonly { id: number; name: string }[] | undefined
  ownerId: number
  /** The name of the owner. */
  inviter: string
  email: string
  roles: readonly Role[]
  state: ColleagueInvitation['state']
  /** Whether an account uses the address. */
  hasAccount: boolean
  /** Empty for an offer to hand surveys over. */
  group: string
  /** The survey, if the invitation is to the team of one. */
  survey: { id: number; name: string } | undefined
}

/** Returns the invitation of a link; undefined for an unknown link. */
export async function findInvitation(context: PublicContext, token: string): Promise<ReceivedInvitation | undefined> {
  const row = await db(context)
    .selectFrom('colleague_invitation as i')
    .leftJoin('account_group as g', 'g.id', 'i.group_id')
    .innerJoin('account as owner', (join) =>
      join.on((eb) => eb('owner.id', '=', eb.fn.coalesce('g.owner_id', 'i.inviter_id'))),
    )
    .leftJoin('survey_team', 'survey_team.group_id', 'g.id')
    .leftJoin('survey', 'survey.id', 'survey_team.survey_id')
    .leftJoin('account as invited', (join) =>
      join.on((eb) => eb(eb.fn('lower', ['invited.email']), '=', eb.fn('lower', ['i.email']))),
    )
    .select(['i.id', 'i.group_id', 'i.email', 'i.roles', 'i.state', 'i.expires_at', 'i.surveys'])
    .select('invited.id as invited')
    .select(['owner.id as owner', 'owner.name as name', 'owner.username', 'g.name as group'])
    .select(['survey.id as survey', 'survey.name as surveyName'])
    .where('i.hash', '=', hashOf(context, token))
    .where('survey.deleted_at', 'is', null)
    .executeTakeFirst()
  return (
    row && {
      id: row.id,
      groupId: row.group_id ?? undefined,
      handOver: row.surveys ? await offeredSurveys(context, row.owner, row.surveys.map(Number)) : undefined,
      ownerId: row.owner,
      inviter: row.name || row.username,
      email: row.email,
      roles: row.roles,
      state: stateAt(context.now, row.state, row.expires_at),
      hasAccount: row.invited !== null,
      group: row.group ?? '',
      survey: row.survey === null ? undefined : { id: row.survey, name: row.surveyName! },
    }
  )
}

/** Returns those of some surveys that an account still owns. */
export const offeredSurveys = (context: PublicContext, ownerId: number, ids: readonly number[]) =>
  db(context)
    .selectFrom('survey')
    .select(['id', 'name'])
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .where((eb) => eb('id', '=', eb.fn.any(eb.val([...ids]))))
    .orderBy('id')
    .execute()

/**
 * Accepts an invitation to a group: the actor becomes a member of the group, and keeps the roles that it already has. Only one of
 * two concurrent requests succeeds.
 * @throws {Problem} `link_expired` for a link that is unknown, expired, answered or withdrawn; `forbidden` for the owner
 *   of the group
 */
export async function acceptInvitation(context: Context, token: string): Promise<ReceivedInvitation> {
  const { actor } = context
  const invitation = await findInvitation(context, token)
  if (invitation?.state !== 'pending' || invitation.groupId === undefined) throw problems.linkExpired()
  if (invitation.ownerId === actor.id) throw problems.forbidden('accept your own invitation')
  const { groupId, ownerId, survey } = invitation
  // A group is locked before its invitations and surveys.
  await db(context).selectFrom('account_group').select('id').where('id', '=', groupId).forNoKeyUpdate().execute()
  await closeInvitation(context, token, 'accepted')
  const member = await db(context)
    .selectFrom('group_member')
    .select('roles')
    .where('group_id', '=', groupId)
    .where('account_id', '=', actor.id)
    .executeTakeFirst()
  const roles = parseRoles([...invitation.roles, ...(member?.roles ?? [])].join(' '))
  await storeMember(context, groupId, actor.id, roles)
  const place: SecurityEventDetails = survey ? { survey: survey.id } : { group: groupId }
  await recordRoles(context, actor.id, { ...place, member: actor.id, roles }, ownerId)
  return invitation
}

/**
 * Declines an invitation. The holder of the link needs no account.
 * @throws {Problem} `link_expired` for a link that is unknown, expired, answered or withdrawn
 */
export async function declineInvitation(context: PublicContext, token: string): Promise<void> {
  const invitation = await findInvitation(context, token)
  if (!invitation) throw problems.linkExpired()
  await closeInvitation(context, token, 'declined')
  const { id, survey, ownerId } = invitation
  const details = { ...(survey && { survey: survey.id }), by: 0, invitation: id, as: 'declined' }
  await recordSecurityEvent(context, survey ? surveyChain(survey.id) : ownerId, 'colleague_invitation_closed', details)
}

/**
 * Closes a pending invitation.
 * @throws {Problem} `link_expired`
 */
export async function closeInvitation(
  context: PublicContext,
  token: string,
  state: 'accepted' | 'declined',
): Promise<void> {
  const { numUpdatedRows } = await db(context)
    .updateTable('colleague_invitation')
    .set({ state })
    .where('hash', '=', hashOf(context, token))
    .where('state', '=', 'pending')
    .where('expires_at', '>', context.now.toISOString())
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw problems.linkExpired()
}
