import type { EmailSummary } from '../../domain/email/queries.ts'
import type { NewCode } from '../../domain/invitation/codes.ts'
import type { InviteSummary } from '../../domain/invitation/queries.ts'
import type { Services } from '../../domain/services.ts'
import type { Schemas } from './operation.ts'
import { contactUri, responsesUri } from './urls.ts'

const timeView = (time: Date | null) => time?.toISOString() ?? null

export const newCodeView = ({ code, url, collectorId }: NewCode): Schemas['CreatedInviteCode'] => ({
  code,
  invite_url: url,
  collector: collectorId,
})

export const inviteCodeView = (services: Services, surveyId: number, invite: InviteSummary): Schemas['InviteCode'] => ({
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

export const inviteView = (services: Services, surveyId: number, invite: InviteSummary): Schemas['Invite'] => ({
  contact: invite.contactId,
  contact_uri: invite.contactId === null ? null : contactUri(services, invite.contactId),
  name: invite.name,
  email: invite.email,
  ...inviteCodeView(services, surveyId, invite),
  sent_at: timeView(invite.sentAt),
  bounced_at: timeView(invite.bouncedAt),
  unsubscribed_at: timeView(invite.unsubscribedAt),
})

export const sentInvitesView = (email: EmailSummary): Schemas['SentInvites'] => ({
  email: email.id,
  status: email.status === 'sent' ? 'sent' : 'scheduled',
  collector: email.collectorId,
  num_recipients: email.recipients,
  scheduled: (email.scheduledAt ?? email.createdAt).toISOString(),
})
