import { LockMode } from '@mikro-orm/core'
import type { Context } from '../context.ts'
import { allow } from '../group/access.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { Email, type EmailStatus } from './email.ts'

/** An e-mail as faces show it, with how far its sending has come. */
export interface EmailSummary {
  id: number
  surveyId: number
  collectorId: number
  reminderOf: number | null
  status: EmailStatus
  sender: string
  subject: string
  message: string
  footer: string | null
  scheduledAt: Date | null
  createdAt: Date
  updatedAt: Date
  recipients: number
  sent: number
  /** Given up after many tries, or refused by a mail server at once or later. */
  failed: number
  /** Those who do not want any mail. */
  skipped: number
}

/**
 * The e-mail as an entity; inside a transaction its row is locked. It is its writer's, as the address book is, and stays
 * so only while they may deploy the survey.
 * @throws {Problem} `email_not_found`, `forbidden`
 */
export async function findEmail(context: Context, id: number): Promise<Email> {
  const { em, actor } = context
  const email = await em.findOneOrFail(
    Email,
    { id, owner: actor.id },
    {
      failHandler: problems.emailNotFound,
      ...(em.isInTransaction() && { lockMode: LockMode.PESSIMISTIC_WRITE }),
    },
  )
  await allow(context, email.survey.id, 'Deploy', problems.emailNotFound)
  return email
}

/** An e-mail that is not handed in yet, locked. @throws {Problem} `email_not_found`; `email_sent` once it is handed in */
export async function findDraft(context: Context, id: number): Promise<Email> {
  const email = await findEmail(context, id)
  if (email.status !== 'draft') throw problems.emailSent()
  return email
}

/** @throws {Problem} `email_not_found` */
export async function summariseEmail(context: Context, id: number): Promise<EmailSummary> {
  await context.em.flush()
  const db = context.em.getKysely<Tables>()
  const row = await db
    .selectFrom('email')
    .selectAll()
    .where('id', '=', id)
    .where('owner_id', '=', context.actor.id)
    .executeTakeFirst()
  if (!row) throw problems.emailNotFound()
  const counts = await db
    .selectFrom('email_message')
    .select((eb) => [
      eb.fn
        .countAll<number>()
        .filterWhere((f) => f.or([f('contact_id', 'is not', null), f('state', '!=', 'added')]))
        .as('recipients'),
      eb.fn.countAll<number>().filterWhere('state', '=', 'sent').as('sent'),
      eb.fn.countAll<number>().filterWhere('state', 'in', ['failed', 'bounced']).as('failed'),
      eb.fn.countAll<number>().filterWhere('state', '=', 'skipped').as('skipped'),
    ])
    .where('email_id', '=', id)
    .executeTakeFirstOrThrow()
  return {
    id: row.id,
    surveyId: row.survey_id,
    collectorId: row.collector_id,
    reminderOf: row.reminder_of,
    status: row.status,
    sender: row.sender,
    subject: row.subject,
    message: row.message,
    footer: row.footer,
    scheduledAt: row.scheduled_at === null ? null : new Date(row.scheduled_at),
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    ...counts,
  }
}
