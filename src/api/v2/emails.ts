import * as commands from '../../domain/email/commands.ts'
import { invitePerson } from '../../domain/email/commands.ts'
import { type EmailSummary, findEmail, summariseEmail } from '../../domain/email/queries.ts'
import * as recipients from '../../domain/email/recipients.ts'
import { remind } from '../../domain/email/reminders.ts'
import * as sending from '../../domain/email/send.ts'
import * as codes from '../../domain/invitation/codes.ts'
import { type InviteSummary, listInvites } from '../../domain/invitation/queries.ts'
import type { Services } from '../../domain/services.ts'
import { sliceOf } from '../../lib/paging.ts'
import { additionOf, contactPage, selectionOf } from './contact-view.ts'
import { emailUri, type Operation, type Schemas, surveyUri } from './operation.ts'

/** Shows an email (docs/specification.md 9.4). */
function emailView(services: Services, email: EmailSummary): Schemas['Email'] {
  const uri = emailUri(services, email.id)
  return {
    id: email.id,
    status: email.status,
    sender: email.sender,
    subject: email.subject,
    message: email.message,
    uri,
    send_uri: `${uri}send/`,
    recipients_uri: `${uri}recipients/`,
    num_recipients: email.recipients,
    num_sent: email.sent,
    num_failed: email.failed,
    num_skipped: email.skipped,
    footer: email.footer,
    survey: String(email.surveyId),
    collector: String(email.collectorId),
    reminder_of: email.reminderOf,
    created_at: email.createdAt.toISOString(),
    updated_at: email.updatedAt.toISOString(),
    ...(email.scheduledAt && { scheduled: email.scheduledAt.toISOString() }),
  }
}

export const createEmail: Operation<'createEmail'> = async ({ context, query, body }) => {
  const { id } = await commands.createEmail(context, { survey: query.survey, collector: query.collector }, body)
  return { status: 200, body: emailView(context.services, await summariseEmail(context, id)) }
}

export const getEmail: Operation<'getEmail'> = async ({ context, path }) => {
  return { status: 200, body: emailView(context.services, await summariseEmail(context, path.email_id)) }
}

export const deleteEmail: Operation<'deleteEmail'> = async ({ context, path }) => {
  await commands.deleteEmail(context, path.email_id)
  return { status: 200, body: { success: true } }
}

export const listEmailRecipients: Operation<'listEmailRecipients'> = async ({ context, path, query }) => {
  const { id } = await findEmail(context, path.email_id)
  return { status: 200, body: await contactPage(context, query, { email: id }) }
}

export const addEmailRecipients: Operation<'addEmailRecipients'> = async ({ context, path, body }) => {
  return { status: 200, body: { added: await recipients.addRecipients(context, path.email_id, additionOf(body)) } }
}

export const removeEmailRecipients: Operation<'removeEmailRecipients'> = async ({ context, path, query, body }) => {
  await recipients.removeRecipients(context, path.email_id, selectionOf({ ...body, ...query }))
  return { status: 200, body: { success: true } }
}

export const sendEmail: Operation<'sendEmail'> = async ({ context, path, query }) => {
  await sending.sendEmail(context, path.email_id, query.scheduled)
  return { status: 200, body: emailView(context.services, await summariseEmail(context, path.email_id)) }
}

export const remindEmail: Operation<'remindEmail'> = async ({ context, path, body }) => {
  const { id } = await remind(context, path.email_id, body)
  return { status: 200, body: emailView(context.services, await summariseEmail(context, id)) }
}

export const sendSurvey: Operation<'sendSurvey'> = async ({ context, path, body }) => {
  const { name, email, subject, message, sender_name = '', sender_email = '', collector } = body
  const sender = body.sender ?? `${sender_name.trim()} <${sender_email.trim()}>`
  const destination = { survey: path.survey_id, collector }
  const { id } = await invitePerson(context, destination, { subject, sender, message }, { name, email })
  return { status: 200, body: emailView(context.services, await summariseEmail(context, id)) }
}

/** Shows an invite code (docs/specification.md 9.2), with its response if the response is completed. */
const inviteCodeView = (services: Services, surveyId: number, invite: InviteSummary): Schemas['InviteCode'] => ({
  code: invite.code,
  invite_url: invite.url,
  status: invite.status,
  ...(invite.status === 'Completed' &&
    invite.responseId !== null && {
      response_id: String(invite.responseId),
      response_uri: `${surveyUri(services, surveyId)}responses/${invite.responseId}/`,
    }),
})

export const createInviteCodes: Operation<'createInviteCodes'> = async ({ context, path, query, body }) => {
  const { count = Number.NaN, collector } = { ...body, ...query }
  const created = await codes.createCodes(context, path.survey_id, { count, collector })
  return {
    status: 200,
    body: { count: created.length, invites: created.map(({ code, url }) => ({ code, invite_url: url })) },
  }
}

export const listInviteCodes: Operation<'listInviteCodes'> = async ({ context, path, query }) => {
  const slice = sliceOf({ offset: query.offset, limit: query.limit, default: 50, max: 200 })
  const { total, invites } = await listInvites(context, path.survey_id, { collector: query.collector }, slice)
  const views = invites.map((invite) => inviteCodeView(context.services, path.survey_id, invite))
  return { status: 200, body: { count: views.length, start: slice.offset, total, invites: views } }
}
