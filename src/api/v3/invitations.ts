import { findOrCreateContact } from '../../domain/contact/commands.ts'
import type { ContactSelection } from '../../domain/contact/members.ts'
import type { Context } from '../../domain/context.ts'
import { recordBounce } from '../../domain/email/bounce.ts'
import type { DeliveryHold } from '../../domain/email/claim.ts'
import { inviteContacts } from '../../domain/email/commands.ts'
import { type Funnel, funnelOf } from '../../domain/email/progress.ts'
import { type EmailSummary, findEmail, listEmails, summariseEmail } from '../../domain/email/queries.ts'
import { scheduleReminders } from '../../domain/email/reminders.ts'
import { sendAgain } from '../../domain/email/send.ts'
import { createCodes, type NewCode } from '../../domain/invitation/codes.ts'
import { type InviteSummary, listInvites } from '../../domain/invitation/queries.ts'
import { problems } from '../../domain/problem.ts'
import type { Services } from '../../domain/services.ts'
import { idsOf, offsetPageReply, pageReply } from '../paging.ts'
import { collectionPage, collectionSlice, type Operation, type Schemas } from './operation.ts'
import { contactUri, responsesUri, surveyUri } from './urls.ts'

export const listSurveyInviteCodes: Operation<'listSurveyInviteCodes'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const slice = query.offset === undefined && query.limit === undefined ? undefined : collectionSlice(query)
  const filter = { collector: query.collector }
  const { total, invites } = await listInvites(context, path.survey_id, filter, slice ?? page)
  const results = invites.map((invite) => inviteCodeView(context.services, path.survey_id, invite))
  const uri = `${surveyUri(context.services, path.survey_id)}invite_codes/`
  const reply = slice
    ? offsetPageReply(uri, search, slice, total, results)
    : pageReply(uri, search, page, total, results)
  return { ...reply, body: { ...reply.body, invites: results } }
}

export const createSurveyInviteCodes: Operation<'createSurveyInviteCodes'> = async ({ context, path, query, body }) => {
  const { count = query.count ?? Number.NaN, collector } = body
  const results = (await createCodes(context, path.survey_id, { count, collector })).map(newCodeView)
  return { status: 201, body: { count: results.length, results, invites: results } }
}

export const listSurveyInvites: Operation<'listSurveyInvites'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const filter = { collector: query.collector, addressed: true }
  const { total, invites } = await listInvites(context, path.survey_id, filter, page)
  const results = invites.map((invite) => inviteView(context.services, path.survey_id, invite))
  return pageReply(`${surveyUri(context.services, path.survey_id)}invites/`, search, page, total, results)
}

/**
 * Returns the recipients of invitations.
 * @throws {Problem} `invalid_request` if there are no recipients, or if contacts and a list are both set
 */
async function recipientsOf(
  context: Context,
  { contacts, contact_list: list, name, email }: Schemas['InviteSending'],
): Promise<ContactSelection> {
  if (list !== undefined && contacts !== undefined)
    throw problems.invalidField('contact_list', 'mutually_exclusive', { other: 'contacts' })
  if (list !== undefined) return { list }
  if (contacts === undefined && name !== undefined && email !== undefined)
    return { ids: [await findOrCreateContact(context, { name, email })], field: 'email' }
  return { ids: idsOf('contacts', contacts), field: 'contacts' }
}

export const sendSurveyInvites: Operation<'sendSurveyInvites'> = async ({ context, path, body }) => {
  const { subject, sender, reply_to: replyTo, message, translations, collector, scheduled } = body
  const destination = { survey: path.survey_id, collector }
  const choice = await recipientsOf(context, body)
  const draft = { subject, sender, replyTo, message, translations }
  const { remind_after_days: afterDays, remind_times: times = 1 } = body
  const reminders = afterDays === undefined ? undefined : { afterDays, times }
  const { id } = await inviteContacts(context, destination, draft, choice, scheduled, reminders)
  return { status: 201, body: sentInvitesView(await summariseEmail(context, id)) }
}

export const reportBounce: Operation<'reportBounce'> = async ({ context, body }) => {
  const { type = 'hard', message_id: messageId, recipient, reason } = body
  await recordBounce(context, { type, messageId, recipient, reason })
  return { status: 200, body: 'OK' }
}

export { createSurveyInviteCodes as createSurveyInviteCodesAlias, listSurveyInviteCodes as listSurveyInviteCodesAlias }

const timeView = (time: Date | null) => time?.toISOString() ?? null

const newCodeView = ({ code, url, collectorId }: NewCode): Schemas['CreatedInviteCode'] => ({
  code,
  invite_url: url,
  collector: collectorId,
})

const inviteCodeView = (services: Services, surveyId: number, invite: InviteSummary): Schemas['InviteCode'] => ({
  code: invite.code,
  invite_url: invite.url,
  collector: invite.collectorId,
  status: invite.status,
  created_at: invite.createdAt.toISOString(),
  viewed_at: timeView(invite.viewedAt),
  completed_at: timeView(invite.completedAt),
  response: invite.responseId,
  response_uri: invite.responseId === null ? null : `${responsesUri(services, surveyId)}${invite.responseId}/`,
})

const inviteView = (services: Services, surveyId: number, invite: InviteSummary): Schemas['Invite'] => ({
  contact: invite.contactId,
  contact_uri: invite.contactId === null ? null : contactUri(services, invite.contactId),
  name: invite.name,
  email: invite.email,
  ...inviteCodeView(services, surveyId, invite),
  sent_at: timeView(invite.sentAt),
  bounced_at: timeView(invite.bouncedAt),
  unsubscribed_at: timeView(invite.unsubscribedAt),
})

const sentInvitesView = (email: EmailSummary): Schemas['SentInvites'] => ({
  email: email.id,
  status: email.status === 'sent' ? 'sent' : 'scheduled',
  collector: email.collectorId,
  num_recipients: email.recipients,
  scheduled: (email.scheduledAt ?? email.createdAt).toISOString(),
})

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
  translations: email.translations,
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
