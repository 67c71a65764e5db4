import { type Problem, problems } from '../domain/problem.ts'
import { constraintName } from '../lib/postgres-client.ts'

/**
 * The Problem for each violated constraint. Even if a request has passed all checks, a concurrent change can cause the
 * violation of a constraint. The reply is then 404 or 409.
 */
const meanings: Readonly<Record<string, () => Problem>> = {
  account_username_key: problems.usernameTaken,
  account_email_key: problems.emailTaken,
  survey_owner_slug_key: problems.slugTaken,
  saved_filter_name_key: problems.filterExists,
  coding_category_name_key: problems.categoryExists,
  coding_round_open_key: problems.roundOpen,
  contact_owner_email_name_key: problems.contactExists,
  // Another request deleted the contact after it was found and before it was added to a list.
  contact_list_member_contact_id_foreign: problems.contactNotFound,
  contact_list_member_list_id_foreign: problems.contactListNotFound,
  // Another request deleted the survey after it was found.
  image_use_survey_id_fkey: problems.surveyNotFound,
  survey_notification_survey_id_fkey: problems.surveyNotFound,
  webhook_account_url_key: problems.webhookExists,
  response_invite_key: problems.inviteUsed,
}

interface DriverError {
  code?: string
}

/**
 * Returns the Problem for a database error that a request caused, or for an outage.
 * @returns undefined for an internal error
 */
export function translate(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as DriverError
  const meaning = meanings[constraintName(error)]
  if (meaning) return meaning()
  // The contract limits the numbers that it describes. Other numbers can exceed the range of a column.
  if (code === '22003') return problems.invalidField('request', 'too_large', {}, 'contains a number that is too large')
  if (code === '40001' || code === '40P01' || code === '55P03' || error.name === 'OptimisticLockError')
    return problems.busy()
  return isOutage(error) ? problems.unavailable() : undefined
}

/**
 * SQLSTATEs of outages: connection errors, exhausted resources, operator intervention, a crash, a terminated session, a
 * read-only server, disk errors.
 */
const OUTAGE_SQLSTATES = /^(08...|53...|57P0[1-5]|57014|25P0[34]|25006|58...)$/

/** Error codes of the operating system for an unreachable server. */
const OUTAGE_ERROR_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** Messages of pg and its pool, which have no error code. */
const DRIVER_ERRORS =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client (was closed|has encountered a connection error) and is not queryable)/

/**
 * Returns whether a statement failed because the database is unreachable or unable to work. A retry may then succeed.
 */
export function isOutage(error: Error & { code?: string }): boolean {
  const { code, message } = error
  return code ? OUTAGE_SQLSTATES.test(code) || OUTAGE_ERROR_CODES.has(code) : DRIVER_ERRORS.test(message)
}

/** Returns whether the disk of the database is full. */
export const isDiskFull = (error: unknown): boolean => (error as { code?: string } | null)?.code === '53100'
