import { LockMode } from '@mikro-orm/core'
import type { Selectable } from 'kysely'
import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { authorize } from '../group/access.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import type { DeliveryHold } from './claim.ts'
import { Email, type EmailStatus, type EmailTranslations } from './email.ts'

/** An email with the progress of its delivery. */
export interface EmailSummary {
  id: number
  surveyId: number
  collectorId: number
  reminderOf: number | null
  status: EmailStatus
  sender: string
  replyTo: string | null
  subject: string
  message: string
  translations: EmailTranslations
  footer: string | null
  scheduledAt: Date | null
  remindAfterDays: number | null
  remindTimes: number
  /** Number of automatic reminders that have been sent. */
  remindersSent: number
  nextReminderAt: Date | null
  hold: DeliveryHold | null
  createdAt: Date
  updatedAt: Date
  recipients: number
  sent: number
  /** Messages that were rejected, bounced or could not be delivered. */
  failed: number
  /** Recipients who have unsubscribed or are no longer contacts. */
  skipped: number
}

/**
 * Returns an email of the actor as an entity that the caller only reads. The actor needs the role Deploy on the survey
 * of the email.
 * @throws {Problem} `email_not_found`, `forbidden`
 */
export const findEmail = (context: Context, id: number): Promise<Email> => loadEmail(context, id)

/**
 * Returns an email of the actor as an entity that the caller changes. Locks its row until the commit. Call it inside a
 * transaction.
 * @throws {Problem} `email_not_found`, `forbidden`
 */
export const lockEmail = (context: Context, id: number): Promise<Email> =>
  loadEmail(context, id, LockMode.PESSIMISTIC_WRITE)

async function loadEmail(context: Context, id: number, lockMode?: LockMode): Promise<Email> {
  const { em, actor } = context
  const options = { failHandler: problems.emailNotFound, ...(lockMode && { lockMode }) }
  const email = await em.findOneOrFail(Email, { id, owner: actor.id }, options)
  await authorize(context, email.survey.id, 'Deploy', problems.emailNotFound)
  return email
}

/**
 * Returns and locks an email that is still a draft, see {@link lockEmail}.
 * @throws {Problem} `email_not_found`; `email_sent` for an email that is no longer a draft
 */
export async function findDraft(context: Context, id: number): Promise<Email> {
  const email = await lockEmail(context, id)
  if (email.status !== 'draft') throw problems.emailSent()
  return email
}

/**
 * Returns an email of the actor with the progress of its delivery.
 * @throws {Problem} `email_not_found`
 */
export async function summariseEmail(context: Context, id: number): Promise<EmailSummary> {
  await context.em.flush()
  const [row] = await ownEmails(context).selectAll('email').where('id', '=', id).execute()
  const [email] = row ? await withCounts(context, [row]) : []
  if (!email) throw problems.emailNotFound()
  return email
}

/**
 * Returns the actor's emails for a survey, newest first.
 * @returns the total number, and the requested slice
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function listEmails(
  context: Context,
  surveyId: number,
  { offset, limit }: Slice,
): Promise<{ total: number; emails: EmailSummary[] }> {
  await authorize(context, surveyId, 'Deploy')
  const all = ownEmails(context).where('survey_id', '=', surveyId)
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await all.selectAll('email').orderBy('id', 'desc').offset(offset).limit(limit).execute()
  return { total, emails: await withCounts(context, rows) }
}

const ownEmails = ({ em, actor }: Context) =>
  em.getKysely<Tables>().selectFrom('email').where('owner_id', '=', actor.id)

/** Counts the states of the messages of several emails in one query. */
async function withCounts({ em }: Context, rows: readonly Selectable<Tables['email']>[]): Promise<EmailSummary[]> {
  if (!rows.length) return []
  const ids = rows.map(({ id }) => id)
  const counts = await em
    .getKysely<Tables>()
    .selectFrom('email_message')
    .select((eb) => [
      'email_id',
      eb.fn
        .countAll<number>()
        .filterWhere((f) => f.or([f('contact_id', 'is not', null), f('state', '!=', 'added')]))
        .as('recipients'),
      eb.fn.countAll<number>().filterWhere('state', '=', 'sent').as('sent'),
      eb.fn.countAll<number>().filterWhere('state', 'in', ['failed', 'bounced']).as('failed'),
      eb.fn.countAll<number>().filterWhere('state', '=', 'skipped').as('skipped'),
    ])
    .where('email_id', 'in', ids)
    .groupBy('email_id')
    .execute()
  const byEmail = new Map(counts.map(({ email_id, ...numbers }) => [email_id, numbers]))
  return rows.map((row) => summaryOf(row, byEmail.get(row.id) ?? { recipients: 0, sent: 0, failed: 0, skipped: 0 }))
}

const summaryOf = (
  row: Selectable<Tables['email']>,
  counts: Pick<EmailSummary, 'recipients' | 'sent' | 'failed' | 'skipped'>,
): EmailSummary => ({
  id: row.id,
  surveyId: row.survey_id,
  collectorId: row.collector_id,
  reminderOf: row.reminder_of,
  status: row.status,
  sender: row.sender,
  replyTo: row.reply_to,
  subject: row.subject,
  message: row.message,
  translations: row.translations ?? {},
  footer: row.footer,
  scheduledAt: row.scheduled_at === null ? null : new Date(row.scheduled_at),
  remindAfterDays: row.remind_after_days,
  remindTimes: row.remind_times,
  remindersSent: row.reminders_sent,
  nextReminderAt: row.next_reminder_at === null ? null : new Date(row.next_reminder_at),
  hold: row.hold,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
  ...counts,
})
