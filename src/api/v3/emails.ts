import type { Context } from '../../domain/context.ts'
import type { DeliveryHold } from '../../domain/email/claim.ts'
import { type Funnel, funnelOf } from '../../domain/email/progress.ts'
import { type EmailSummary, findEmail, listEmails, summariseEmail } from '../../domain/email/queries.ts'
import { scheduleReminders } from '../../domain/email/reminders.ts'
import { sendAgain } from '../../domain/email/send.ts'
import { problems } from '../../domain/problem.ts'
import type { Services } from '../../domain/services.ts'
import { pageReply } from '../paging.ts'
import { collectionPage, type Operation, type Schemas } from './operation.ts'
import { surveyUri } from './urls.ts'

const emailsUri = (services: Services, surveyId: number) => `${surveyUri(services, surveyId)}emails/`

const holdView = ({ failure, reply, since, until }: DeliveryHold): Schemas['DeliveryHold'] => ({
  failure,
  reply,
  since,
  next_attempt_at: until,
})

const emailView = (services: Services, email: EmailSummary): Schemas['SurveyEmail'] => ({
  id: email.id,
  email_uri: `${emailsUri(services, email.surveyId)}${email.id}/`,
  status: email.status,
  reminder_of: email.reminderOf,
  subject: email.subject,
  sender: email.sender,
  reply_to: email.replyTo,
  collector: email.collectorId,
  created_at: email.createdAt.toISOString(),
  scheduled: email.scheduledAt?.toISOString() ?? null,
  remind_after_days: email.remindAfterDays,
  remind_times: email.remindTimes,
  reminders_sent: email.remindersSent,
  next_reminder_at: email.nextReminderAt?.toISOString() ?? null,
  delivery_hold: email.hold && holdView(email.hold),
})

const funnelView = (funnel: Funnel): Schemas['InvitationFunnel'] => ({
  recipients: funnel.recipients,
  sent: funnel.sent,
  delivered: funnel.delivered,
  bounced: funnel.bounced,
  opened: funnel.opened,
  started: funnel.started,
  completed: funnel.completed,
})

/** @throws {Problem} `email_not_found`, also for an email of another survey */
async function emailOf(context: Context, path: { survey_id: number; email_id: number }): Promise<EmailSummary> {
  // Checks that the actor may still send emails for the survey.
  await findEmail(context, path.email_id)
  const email = await summariseEmail(context, path.email_id)
  if (email.surveyId !== path.survey_id) throw problems.emailNotFound()
  return email
}

async function detailsView(context: Context, email: EmailSummary): Promise<Schemas['SurveyEmailDetails']> {
  return { ...emailView(context.services, email), funnel: funnelView(await funnelOf(context, email)) }
}

export const listSurveyEmails: Operation<'listSurveyEmails'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { total, emails } = await listEmails(context, path.survey_id, page)
  const results = emails.map((email) => emailView(context.services, email))
  return pageReply(emailsUri(context.services, path.survey_id), search, page, total, results)
}

export const getSurveyEmail: Operation<'getSurveyEmail'> = async ({ context, path }) => ({
  status: 200,
  body: await detailsView(context, await emailOf(context, path)),
})

export const updateSurveyEmail: Operation<'updateSurveyEmail'> = async ({ context, path, body }) => {
  const { id } = await emailOf(context, path)
  const { remind_after_days: afterDays, remind_times: times = 1 } = body
  await scheduleReminders(context, id, { afterDays, times })
  return { status: 200, body: await detailsView(context, await emailOf(context, path)) }
}

export const resendSurveyEmail: Operation<'resendSurveyEmail'> = async ({ context, path }) => {
  const { id } = await emailOf(context, path)
  await sendAgain(context, id)
  return { status: 200, body: await detailsView(context, await emailOf(context, path)) }
}
