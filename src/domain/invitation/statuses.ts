import { findCollector } from '../collector/queries.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { summariseSurvey } from '../survey/queries.ts'
import type { Tables } from '../tables.ts'
import { inviteDeliveries, statusOfRow, withLatestResponses } from './queries.ts'
import { furthest, type InviteStatus } from './status.ts'

/** The status of a contact for a survey (docs/specification.md 8.1). */
export type ContactStatus = InviteStatus

/** The survey or the collector whose statuses are requested; at most one of them is set. */
export interface StatusQuery {
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
