import { type Problem, problems } from '../domain/problem.ts'
import { isOutage } from './outage.ts'

/** What a breach of each named constraint means to the caller. A race that slips past a check ends here, as 409. */
const meanings: Readonly<Record<string, () => Problem>> = {
  account_username_key: problems.usernameTaken,
  account_email_key: problems.emailTaken,
  survey_owner_slug_key: problems.slugTaken,
  saved_filter_name_key: problems.filterExists,
  contact_owner_email_name_key: problems.contactExists,
  // Deleted by another request after it was found and before it was added to a list.
  contact_list_member_contact_id_foreign: problems.contactNotFound,
  contact_list_member_list_id_foreign: problems.contactListNotFound,
  webhook_account_url_key: problems.webhookExists,
  response_invite_key: problems.inviteUsed,
}

interface DriverError {
  code?: string
  constraint?: string
}

/**
 * The Problem behind a database error: one that a caller can cause, or an outage that will pass.
 * @returns undefined for a fault of ours
 */
export function translate(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, constraint } = error as DriverError
  if (constraint && meanings[constraint]) return meanings[constraint]()
  // A number that fits no column stands for nothing that exists; the contract bounds those it knows.
  if (code === '22003') return problems.invalidField('request', 'too_large', {}, 'contains a number that is too large')
  if (code === '40001' || code === '40P01' || error.name === 'OptimisticLockError') return problems.busy()
  return isOutage(error) ? problems.unavailable() : undefined
}
