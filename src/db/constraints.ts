import { Problem, problems } from '../domain/problem.ts'
import { isOutage } from './outage.ts'

/** What a breach of each named constraint means to the caller. A race that slips past a check ends here, as 409. */
const meanings: Readonly<Record<string, () => Problem>> = {
  account_username_key: () =>
    new Problem('conflict', 'username_taken', 'This user name is taken.', [{ field: 'username', message: 'is taken' }]),
  account_email_key: problems.emailTaken,
  survey_owner_slug_key: () =>
    new Problem('conflict', 'slug_taken', 'Another survey took this address at the same moment; try again.'),
  saved_filter_name_key: () =>
    new Problem('conflict', 'filter_exists', 'A filter of this name exists already.', [
      { field: 'name', message: 'exists already' },
    ]),
  contact_owner_email_name_key: () =>
    new Problem('conflict', 'contact_exists', 'A contact of this name and e-mail address exists already.', [
      { field: 'email', message: 'exists already under this name' },
    ]),
  // Deleted by somebody else between being found and being put into a list.
  contact_list_member_contact_id_foreign: problems.contactNotFound,
  contact_list_member_list_id_foreign: problems.contactListNotFound,
  webhook_account_url_key: () =>
    new Problem('conflict', 'webhook_exists', 'Something is sent to this address already.', [
      { field: 'subscription_url', message: 'has a webhook already' },
    ]),
  response_invite_key: () =>
    new Problem('conflict', 'invite_used', 'This invite code has its response already.', [
      { field: 'code', message: 'is used already' },
    ]),
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
  if (code === '22003') return problems.invalid([{ field: 'request', message: 'holds a number that is too large' }])
  if (code === '40001' || code === '40P01')
    return new Problem('conflict', 'busy', 'Somebody else changed the same thing at the same moment; try again.')
  if (error.name === 'OptimisticLockError')
    return new Problem('conflict', 'busy', 'Somebody else changed the same thing at the same moment; try again.')
  return isOutage(error) ? problems.unavailable() : undefined
}
