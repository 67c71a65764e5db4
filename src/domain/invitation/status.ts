/**
 * The status of an invitation (docs/specification.md 8.1). It is empty if no message is scheduled or has been sent, and
 * the invitation was neither opened nor used.
 */
export type InviteStatus = '' | 'Scheduled' | 'Sent' | 'Viewed' | 'Incomplete' | 'Completed' | 'Bounced'

/** The state of one invitation. */
export interface InviteState {
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
export function inviteStatus({ scheduled, sent, bounced, viewed, completed, used }: InviteState): InviteStatus {
  if (completed !== null) return completed > 0 ? 'Completed' : 'Incomplete'
  if (used) return 'Completed'
  if (viewed) return 'Viewed'
  if (bounced) return 'Bounced'
  if (sent) return 'Sent'
  return scheduled ? 'Scheduled' : ''
}

const ORDER: readonly InviteStatus[] = ['', 'Scheduled', 'Bounced', 'Sent', 'Viewed', 'Incomplete', 'Completed']

/** Returns the more advanced of two statuses of a contact. */
export const furthest = (a: InviteStatus, b: InviteStatus): InviteStatus =>
  ORDER.indexOf(b) > ORDER.indexOf(a) ? b : a
