/** The status of an invitation (docs/specification.md 8.1); empty when nothing was sent or answered. */
export type InviteStatus = '' | 'Scheduled' | 'Sent' | 'Viewed' | 'Incomplete' | 'Completed' | 'Bounced'

/** What is known of one invitation. */
export interface InviteFacts {
  /** A message for it waits to be sent. */
  scheduled: boolean
  sent: boolean
  bounced: boolean
  viewed: boolean
  /** `_completed` of the response that came with it; null: none came. */
  completed: number | null
  /** It was used where responses are anonymous, so that which response is its own is not known. */
  used: boolean
}

/**
 * The furthest an invitation has come. A response that was ended early is over as well; an invitation that was seen has
 * arrived, whatever a mail server said. One that was used anonymously counts as completed: nobody is to be reminded.
 */
export function inviteStatus({ scheduled, sent, bounced, viewed, completed, used }: InviteFacts): InviteStatus {
  if (completed !== null) return completed > 0 ? 'Completed' : 'Incomplete'
  if (used) return 'Completed'
  if (viewed) return 'Viewed'
  if (bounced) return 'Bounced'
  if (sent) return 'Sent'
  return scheduled ? 'Scheduled' : ''
}

const ORDER: readonly InviteStatus[] = ['', 'Scheduled', 'Bounced', 'Sent', 'Viewed', 'Incomplete', 'Completed']

/** Of somebody with several invitations, the furthest that one of them has come. */
export const furthest = (one: InviteStatus, other: InviteStatus): InviteStatus =>
  ORDER.indexOf(other) > ORDER.indexOf(one) ? other : one
