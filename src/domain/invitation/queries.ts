import { sql } from 'kysely'
import type { Slice } from '../../lib/paging.ts'
import { findCollector } from '../collector/queries.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { type SurveySummary, summariseSurvey } from '../survey/queries.ts'
import { surveyUrl } from '../survey-address.ts'
import type { Tables } from '../tables.ts'

/** An invite code as the API and the pages show it. */
export interface InviteSummary {
  id: number
  code: string
  collectorId: number
  /** The URL of the survey with the code. */
  url: string
  status: InviteStatus
  contactId: number | null
  email: string | null
  name: string | null
  createdAt: Date
  sentAt: Date | null
  viewedAt: Date | null
  bouncedAt: Date | null
  /** When the contact unsubscribed by a link in an email; null for a subscribed contact. */
  unsubscribedAt: Date | null
  /** When the completed response was last saved. */
  completedAt: Date | null
  /** The response of the invitation, if there is one. */
  responseId: number | null
}

/** The filter and order of invite codes. */
interface InviteSearch {
  collector?: number | undefined
  /** Returns only invitations with an email address. */
  addressed?: boolean
  /** Newest first; the default is oldest first. */
  newestFirst?: boolean
}

/** Returns the URL of a survey with an invite code. */
export const inviteUrl = (baseUrl: string, { creator, slug }: SurveySummary, code: string): string =>
  `${surveyUrl(baseUrl, { username: creator.username, slug })}?code=${code}`

/**
 * Checks the ID of a survey's collector and returns it. Without an ID, returns the ID of the default collector.
 * @throws {Problem} `collector_not_found`
 */
export async function collectorIn({ em }: Context, surveyId: number, id: number | undefined): Promise<number> {
  const query = em.getKysely<Tables>().selectFrom('collector').select('id').where('survey_id', '=', surveyId)
  const row = await (id === undefined ? query.where('is_default', '=', true) : query.where('id', '=', id))
    .limit(1)
    .executeTakeFirst()
  if (!row) throw problems.collectorNotFound()
  return row.id
}

/** The time at which the contact unsubscribed; null if the contact is deleted or is subscribed. */
const unsubscribedAt = sql<string | null>`(
  select contact.unsubscribed_at from contact where contact.id = invite.contact_id and contact.unsubscribed
)`.as('unsubscribed_at')

/** Builds a query of invitations with their delivery state. */
export const inviteDeliveries = ({ em }: Pick<Context, 'em'>) =>
  em
    .getKysely<Tables>()
    .selectFrom('invite')
    .select((eb) => [
      'invite.id',
      'invite.survey_id',
      'invite.code',
      'invite.sent_at',
      'invite.viewed_at',
      'invite.bounced_at',
      'invite.used_on',
      unsubscribedAt,
      eb
        .exists(
          eb
            .selectFrom('email_message')
            .select(sql.lit(1).as('one'))
            .whereRef('email_message.invite_id', '=', 'invite.id')
            .where('email_message.state', 'in', ['queued', 'sending']),
        )
        .as('scheduled'),
    ])

type DeliveryRow = Awaited<ReturnType<ReturnType<typeof inviteDeliveries>['executeTakeFirstOrThrow']>>

/**
 * The newest completed response of an invitation. If there is none, the newest response; null if there is no response.
 */
interface LatestResponse {
  response_id: number | null
  completed: number | null
  answered_at: string | null
}

/** Adds the latest response to each row of {@link inviteDeliveries}. */
export async function withLatestResponses<Row extends Pick<DeliveryRow, 'survey_id' | 'code'>>(
  { em }: Pick<Context, 'em'>,
  rows: readonly Row[],
): Promise<(Row & LatestResponse)[]> {
  const latest = new Map<string, LatestResponse>()
  for (const [surveyId, invites] of Map.groupBy(rows, (row) => row.survey_id)) {
    const found = await em
      .getKysely<Tables>()
      .selectFrom('response')
      .distinctOn('invite_code')
      .select(['invite_code', 'id as response_id', 'completed', 'updated_at as answered_at'])
      .where('survey_id', '=', surveyId)
      .where((eb) => eb('invite_code', '=', eb.fn.any(eb.val(invites.map(({ code }) => code)))))
      .orderBy('invite_code')
      .orderBy((eb) => eb('completed', '>', 0), 'desc')
      .orderBy('id', 'desc')
      .execute()
    for (const { invite_code, ...response } of found) latest.set(`${surveyId} ${invite_code}`, response)
  }
  const none: LatestResponse = { response_id: null, completed: null, answered_at: null }
  return rows.map((row) => ({ ...row, ...(latest.get(`${row.survey_id} ${row.code}`) ?? none) }))
}

/** Returns the status of an invitation. */
export const statusOfRow = (row: DeliveryRow & LatestResponse): InviteStatus =>
  inviteStatus({
    scheduled: Boolean(row.scheduled),
    sent: row.sent_at !== null,
    bounced: row.bounced_at !== null,
    viewed: row.viewed_at !== null,
    completed: row.completed,
    used: row.used_on !== null,
  })

const time = (text: string | null): Date | null => (text === null ? null : new Date(text))

/**
 * Returns the invite codes of a survey.
 * @returns the total number, and the requested slice
 * @throws {Problem} `survey_not_found`, `collector_not_found`
 */
export async function listInvites(
  context: Context,
  surveyId: number,
  { collector, addressed = false, newestFirst = false }: InviteSearch,
  { offset, limit }: Slice,
): Promise<{ total: number; invites: InviteSummary[] }> {
  const survey = await summariseSurvey(context, surveyId, 'Deploy')
  if (collector !== undefined) await collectorIn(context, surveyId, collector)
  let ids = context.em.getKysely<Tables>().selectFrom('invite').where('invite.survey_id', '=', surveyId)
  if (collector !== undefined) ids = ids.where('invite.collector_id', '=', collector)
  if (addressed) ids = ids.where('invite.email', 'is not', null)
  const { total } = await ids.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const order = newestFirst ? 'desc' : 'asc'
  const page = ids.select('invite.id').orderBy('invite.id', order).offset(offset).limit(limit)
  const pageRows = await inviteDeliveries(context)
    .select(['invite.collector_id', 'invite.contact_id', 'invite.email', 'invite.name', 'invite.created_at'])
    .where('invite.id', 'in', page)
    .orderBy('invite.id', order)
    .execute()
  const rows = await withLatestResponses(context, pageRows)
  const invites = rows.map((row) => {
    const status = statusOfRow(row)
    return {
      id: row.id,
      code: row.code,
      collectorId: row.collector_id,
      url: inviteUrl(context.services.baseUrl, survey, row.code),
      status,
      contactId: row.contact_id,
      email: row.email,
      name: row.name,
      createdAt: new Date(row.created_at),
      sentAt: time(row.sent_at),
      viewedAt: time(row.viewed_at),
      bouncedAt: time(row.bounced_at),
      unsubscribedAt: time(row.unsubscribed_at),
      completedAt: status === 'Completed' ? time(row.answered_at) : null,
      responseId: row.response_id,
    }
  })
  return { total, invites }
}

/** The status of a contact for a survey (docs/specification.md 8.1). */
export type ContactStatus = InviteStatus

/** The survey or the collector whose statuses are requested; at most one of them is set. */
interface StatusQuery {
  survey?: number | undefined
  collector?: number | undefined
}

/**
 * Returns the status of contacts for a survey or a collector: the most advanced status among the invitations of the
 * contact and the responses with the contact's email address.
 * @returns statuses by contact ID; undefined if neither a survey nor a collector is given
 * @throws {Problem} `invalid_request` if the survey and the collector are both set; `survey_not_found`,
 *   `collector_not_found`
 */
export async function contactStatuses(
  context: Context,
  { survey, collector }: StatusQuery,
  contactIds: readonly number[],
): Promise<ReadonlyMap<number, ContactStatus> | undefined> {
  if (survey !== undefined && collector !== undefined)
    throw problems.invalidField('collector', 'mutually_exclusive', { other: 'survey' })
  if (survey === undefined && collector === undefined) return undefined
  const surveyId = await surveyOf(context, survey, collector)
  const statuses = new Map<number, InviteStatus>(contactIds.map((id) => [id, '']))
  const entries = await Promise.all([
    invitationStatuses(context, surveyId, collector, contactIds),
    responseStatuses(context, surveyId, collector, contactIds),
  ])
  for (const [id, status] of entries.flat()) statuses.set(id, furthest(statuses.get(id) ?? '', status))
  return statuses
}

type StatusEntries = [contactId: number, status: InviteStatus][]

/** Reads the statuses of the invitations of contacts. */
async function invitationStatuses(
  context: Context,
  surveyId: number,
  collector: number | undefined,
  contactIds: readonly number[],
): Promise<StatusEntries> {
  let query = inviteDeliveries(context)
    .select('invite.contact_id')
    .where('invite.survey_id', '=', surveyId)
    .where((eb) => eb('invite.contact_id', '=', eb.fn.any(eb.val([...contactIds]))))
  if (collector !== undefined) query = query.where('invite.collector_id', '=', collector)
  const rows = await withLatestResponses(context, await query.execute())
  return rows.map((row) => [row.contact_id!, statusOfRow(row)])
}

/** Reads the statuses of responses with the email address of a contact, including imported responses. */
async function responseStatuses(
  context: Context,
  surveyId: number,
  collector: number | undefined,
  contactIds: readonly number[],
): Promise<StatusEntries> {
  const db = context.em.getKysely<Tables>()
  const contacts = await db
    .selectFrom('contact')
    .select((eb) => ['id', eb.fn<string>('lower', ['email']).as('address')])
    .where((eb) => eb('id', '=', eb.fn.any(eb.val([...contactIds]))))
    .execute()
  let query = db
    .selectFrom('response')
    .select((eb) => [eb.fn<string>('lower', ['invite_email']).as('address'), eb.fn.max('completed').as('completed')])
    .where('survey_id', '=', surveyId)
    .where('invite_email', 'is not', null)
    .where((eb) => eb(eb.fn('lower', ['invite_email']), '=', eb.fn.any(eb.val(contacts.map(({ address }) => address)))))
    .groupBy('address')
  if (collector !== undefined) query = query.where('collector_id', '=', collector)
  const completed = new Map((await query.execute()).map((row) => [row.address, row.completed]))
  return contacts.flatMap(({ id, address }): StatusEntries => {
    const most = completed.get(address)
    return most === undefined ? [] : [[id, most > 0 ? 'Completed' : 'Incomplete']]
  })
}

async function surveyOf(context: Context, survey: number | undefined, collector: number | undefined): Promise<number> {
  if (collector !== undefined) return (await findCollector(context, collector)).survey.id
  return (await summariseSurvey(context, survey!, 'Deploy')).id
}

/**
 * The status of an invitation (docs/specification.md 8.1). It is empty if no message is scheduled or has been sent, and
 * the invitation was neither opened nor used.
 */
export type InviteStatus = '' | 'Scheduled' | 'Sent' | 'Viewed' | 'Incomplete' | 'Completed' | 'Bounced'

/** The state of one invitation. */
interface InviteState {
  /** Whether a message for the invitation is queued. */
  scheduled: boolean
  sent: boolean
  bounced: boolean
  viewed: boolean
  /** The value of `_completed` of the response; null: there is no response. */
  completed: number | null
  /** Whether the invitation was used anonymously, so that its response is unknown. */
  used: boolean
}

/**
 * Returns the status of an invitation. If the respondent was screened out, the invitation has the status Completed. An
 * opened invitation was delivered, even if a bounce was reported. An invitation that was used anonymously has the
 * status Completed, so that no reminder is sent.
 */
function inviteStatus({ scheduled, sent, bounced, viewed, completed, used }: InviteState): InviteStatus {
  if (completed !== null) return completed > 0 ? 'Completed' : 'Incomplete'
  if (used) return 'Completed'
  if (viewed) return 'Viewed'
  if (bounced) return 'Bounced'
  if (sent) return 'Sent'
  return scheduled ? 'Scheduled' : ''
}

const ORDER: readonly InviteStatus[] = ['', 'Scheduled', 'Bounced', 'Sent', 'Viewed', 'Incomplete', 'Completed']

/** Returns the more advanced of two statuses of a contact. */
const furthest = (a: InviteStatus, b: InviteStatus): InviteStatus => (ORDER.indexOf(b) > ORDER.indexOf(a) ? b : a)
