import { findCollector } from '../collector/queries.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { summariseSurvey } from '../survey/queries.ts'
import type { Tables } from '../tables.ts'
import { inviteFacts, statusOfRow } from './queries.ts'
import { furthest, type InviteStatus } from './status.ts'

/** The status of a contact for a survey (docs/specification.md 8.1). */
export type ContactStatus = InviteStatus

/** The survey, or the one of its collectors, that a status is asked for. */
export interface StatusQuery {
  survey?: number | undefined
  collector?: number | undefined
}

/**
 * How far contacts have come with a survey or with one of its collectors: the furthest that their invitations and the
 * responses bound to their e-mail address tell.
 * @returns a status for each of the contacts, by contact id; undefined when neither is asked for
 * @throws {Problem} `invalid_request` for both at once; `survey_not_found`, `collector_not_found`
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
  const told = await Promise.all([
    invited(context, surveyId, collector, contactIds),
    answered(context, surveyId, collector, contactIds),
  ])
  for (const [id, status] of told.flat()) statuses.set(id, furthest(statuses.get(id) ?? '', status))
  return statuses
}

type Told = [contactId: number, status: InviteStatus][]

/** What the invitations of contacts tell. */
async function invited(
  context: Context,
  surveyId: number,
  collector: number | undefined,
  contactIds: readonly number[],
): Promise<Told> {
  let query = inviteFacts(context)
    .select('invite.contact_id')
    .where('invite.survey_id', '=', surveyId)
    .where((eb) => eb('invite.contact_id', '=', eb.fn.any(eb.val([...contactIds]))))
  if (collector !== undefined) query = query.where('invite.collector_id', '=', collector)
  return (await query.execute()).map((row) => [row.contact_id!, statusOfRow(row)])
}

/** What responses tell that came with the e-mail address of a contact, imported ones too. */
async function answered(
  context: Context,
  surveyId: number,
  collector: number | undefined,
  contactIds: readonly number[],
): Promise<Told> {
  const rows = await context.em
    .getKysely<Tables>()
    .selectFrom('contact')
    .innerJoin('response', (join) => {
      const bound = join
        .on('response.survey_id', '=', surveyId)
        .on('response.invite_email', 'is not', null)
        .on((eb) => eb(eb.fn('lower', ['response.invite_email']), '=', eb.fn('lower', ['contact.email'])))
      return collector === undefined ? bound : bound.on('response.collector_id', '=', collector)
    })
    .select((eb) => ['contact.id', eb.fn.max('response.completed').as('completed')])
    .where((eb) => eb('contact.id', '=', eb.fn.any(eb.val([...contactIds]))))
    .groupBy('contact.id')
    .execute()
  return rows.map(({ id, completed }) => [id, completed > 0 ? 'Completed' : 'Incomplete'])
}

async function surveyOf(context: Context, survey: number | undefined, collector: number | undefined): Promise<number> {
  if (collector !== undefined) return (await findCollector(context, collector)).survey.id
  return (await summariseSurvey(context, survey!, 'Deploy')).id
}
