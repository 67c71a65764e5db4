import { findCollector } from '../collector/queries.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { summariseSurvey } from '../survey/queries.ts'
import type { Tables } from '../tables.ts'

/** How far a contact has come with a survey (decisions, section 4); empty where nothing was sent or answered. */
export type ContactStatus = '' | 'Scheduled' | 'Sent' | 'Viewed' | 'Incomplete' | 'Completed' | 'Bounced'

/** The survey, or the one of its collectors, that a status is asked for. */
export interface Asked {
  survey?: number | undefined
  collector?: number | undefined
}

/**
 * How far contacts have come with a survey or with one of its collectors, told by the responses that are bound to their
 * e-mail address.
 * @returns a status for each of the contacts, by contact id; undefined when neither is asked for
 * @throws {Problem} `invalid_request` for both at once; `survey_not_found`, `collector_not_found`
 */
export async function contactStatuses(
  context: Context,
  { survey, collector }: Asked,
  contactIds: readonly number[],
): Promise<ReadonlyMap<number, ContactStatus> | undefined> {
  if (survey !== undefined && collector !== undefined)
    throw problems.invalidField('collector', 'cannot be combined with survey')
  if (survey === undefined && collector === undefined) return undefined
  const surveyId = await surveyOf(context, survey, collector)
  let query = context.em
    .getKysely<Tables>()
    .selectFrom('contact')
    .leftJoin('response', (join) => {
      const bound = join
        .on('response.survey_id', '=', surveyId)
        .on('response.invite_email', 'is not', null)
        .on((eb) => eb(eb.fn('lower', ['response.invite_email']), '=', eb.fn('lower', ['contact.email'])))
      return collector === undefined ? bound : bound.on('response.collector_id', '=', collector)
    })
    .select((eb) => ['contact.id', eb.fn.max('response.completed').as('completed')])
    .groupBy('contact.id')
  query = query.where((eb) => eb('contact.id', '=', eb.fn.any(eb.val([...contactIds]))))
  const rows = await query.execute()
  return new Map(rows.map(({ id, completed }) => [id, statusOf(completed)]))
}

async function surveyOf(context: Context, survey: number | undefined, collector: number | undefined): Promise<number> {
  if (collector !== undefined) return (await findCollector(context, collector)).survey.id
  return (await summariseSurvey(context, survey!)).id
}

/** A response that was ended early is over as well. */
const statusOf = (completed: number | null): ContactStatus =>
  completed === null ? '' : completed > 0 ? 'Completed' : 'Incomplete'
