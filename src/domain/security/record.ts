import { loggedNetwork } from '../../lib/network.ts'
import type { Context, PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'
import { baseMac, chainStart, entryHash, surveyChain } from './chain.ts'

/** The kinds of entries in the security log. */
export type SecurityEventKind =
  | 'signed_in'
  | 'sign_in_failed'
  | 'locked_out'
  | 'password_changed'
  | 'email_changed'
  | 'second_factor_enabled'
  | 'second_factor_disabled'
  | 'second_factor_removed'
  | 'second_factor_app_removed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'recovery_code_used'
  | 'identity_connected'
  | 'identity_disconnected'
  | 'provider_signed_out'
  | 'api_key_created'
  | 'api_key_revoked'
  | 'application_authorized'
  | 'application_limited'
  | 'application_revoked'
  | 'roles_changed'
  | 'colleague_invited'
  | 'colleague_invitation_closed'
  | 'contact_erased'
  | 'exported'
  | 'responses_deleted'
  | 'survey_handed_over'
  | 'survey_weakened'
  | 'account_deleted'
  | 'account_created'
  | 'account_disabled'
  | 'account_enabled'
  | 'administrator_granted'
  | 'administrator_revoked'
  | 'password_link_made'
  | 'plan_changed'
  | InstallationKind
  | ActivityKind

/** What administrators do with the installation. Entries are in its chain, which the API does not show. */
export type InstallationKind = 'mail_tested' | 'emails_sent_again' | 'job_retried' | 'backup_started'

/** What people do with a survey. Entries are in the chain of the survey, and name the survey and the person (`by`). */
export type ActivityKind =
  | 'survey_created'
  | 'survey_renamed'
  | 'survey_edited'
  | 'survey_published'
  | 'preview_shared'
  | 'preview_unshared'
  | 'survey_commented'
  | 'review_requested'
  | 'review_approved'
  | 'review_returned'
  | 'survey_opened'
  | 'survey_closed'
  | 'survey_deleted'
  | 'survey_restored'
  | 'survey_erased'
  | 'survey_shared'
  | 'survey_unshared'
  | 'settings_changed'
  | 'theme_changed'
  | 'emails_sent'
  | 'report_created'
  | 'report_deleted'
  | 'responses_corrected'
  | 'responses_restored'
  | 'responses_erased'
  | 'responses_imported'

/** Numbers, flags and fixed words; never secrets or personal data. */
export type SecurityEventDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>

/**
 * Maximum number of entries of frequent events per kind and account, so that an attacker with many addresses cannot
 * fill the log.
 */
const MAX_ENTRIES_PER_HOUR = 50
const HOUR_MS = 3_600_000

/**
 * Appends an entry to the security log of an account, in the transaction of the caller if there is one. Locks the head
 * of the chain of the account until the commit.
 */
export async function recordSecurityEvent(
  context: PublicContext,
  accountId: number,
  kind: SecurityEventKind,
  details: SecurityEventDetails = {},
): Promise<void> {
  if (context.em.isInTransaction()) await append(context, accountId, kind, details)
  else await recordInOwnTransaction(context, accountId, kind, details)
}

/** Appends an entry to the chain of a survey, in the transaction of the act. The caller has locked the survey. */
export const recordActivity = (
  context: Context,
  surveyId: number,
  kind: SecurityEventKind,
  details: SecurityEventDetails = {},
): Promise<void> =>
  recordSecurityEvent(context, surveyChain(surveyId), kind, { survey: surveyId, by: context.actor.id, ...details })

/**
 * Appends an entry of a frequent act to the chain of a survey, in the transaction of the act, once an hour for each
 * person.
 */
export async function recordFrequentActivity(context: Context, surveyId: number, kind: ActivityKind): Promise<void> {
  const details = { survey: surveyId, by: context.actor.id }
  const equal = await context.em
    .getKysely<Tables>()
    .selectFrom('security_event')
    .select('seq')
    .where('account_id', '=', surveyChain(surveyId))
    .where('kind', '=', kind)
    .where('at', '>', new Date(context.now.getTime() - HOUR_MS).toISOString())
    .where('details', '=', JSON.stringify(details))
    .limit(1)
    .executeTakeFirst()
  if (!equal) await recordSecurityEvent(context, surveyChain(surveyId), kind, details)
}

/**
 * Appends an entry in a separate transaction, so that the entry is kept if the transaction of the caller is rolled
 * back.
 */
export const recordInOwnTransaction = (
  context: PublicContext,
  accountId: number,
  kind: SecurityEventKind,
  details: SecurityEventDetails = {},
): Promise<void> =>
  (context.writer ?? context.em).fork().transactional((em) => append({ ...context, em }, accountId, kind, details))

/**
 * Appends an entry of a frequent event. In one hour, appends equal entries only once (unless `skipEqual` is false), and
 * at most {@link MAX_ENTRIES_PER_HOUR} entries of a kind.
 */
export async function recordThrottled(
  context: PublicContext,
  accountId: number,
  kind: SecurityEventKind,
  details: SecurityEventDetails = {},
  { skipEqual = true }: { skipEqual?: boolean } = {},
): Promise<void> {
  const recent = await recentEntries(context, accountId, kind).limit(MAX_ENTRIES_PER_HOUR).execute()
  if (recent.length === MAX_ENTRIES_PER_HOUR) return
  const [text, network] = [JSON.stringify(details), loggedNetwork(context.ipAddress)]
  if (skipEqual && recent.some((entry) => entry.details === text && entry.network === network)) return
  await recordInOwnTransaction(context, accountId, kind, details)
}

/**
 * Appends an entry in a separate transaction, unless an equal one was appended within an hour. All different entries
 * are appended, because only signed-in accounts cause them.
 */
export async function recordOncePerHour(
  context: PublicContext,
  accountId: number,
  kind: SecurityEventKind,
  details: SecurityEventDetails,
): Promise<void> {
  const equal = await recentEntries(context, accountId, kind)
    .where('details', '=', JSON.stringify(details))
    .where('network', '=', loggedNetwork(context.ipAddress))
    .limit(1)
    .executeTakeFirst()
  if (!equal) await recordInOwnTransaction(context, accountId, kind, details)
}

const recentEntries = ({ em, writer, now }: PublicContext, accountId: number, kind: SecurityEventKind) =>
  (writer ?? em)
    .fork()
    .getKysely<Tables>()
    .selectFrom('security_event')
    .select(['details', 'network'])
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('at', '>', new Date(now.getTime() - HOUR_MS).toISOString())

async function append(
  { em, now, services, ipAddress }: PublicContext,
  accountId: number,
  kind: SecurityEventKind,
  details: SecurityEventDetails,
): Promise<void> {
  const db = em.getKysely<Tables>()
  const { secretKey } = services
  const start = chainStart(secretKey, accountId)
  const newChain = { account_id: accountId, seq: 0, hash: start, base_seq: 0, base_hash: start }
  const head = await db
    .insertInto('security_chain')
    .values({ ...newChain, base_mac: baseMac(secretKey, accountId, 0, start) })
    // Locks the row. The update does not change it.
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ account_id: accountId }))
    .returning(['seq', 'hash'])
    .executeTakeFirstOrThrow()
  const text = JSON.stringify(details)
  const entry = {
    account_id: accountId,
    seq: head.seq + 1,
    at: now,
    kind,
    details: text,
    network: loggedNetwork(ipAddress),
  }
  const hash = entryHash(secretKey, head.hash, entry)
  await db
    .insertInto('security_event')
    .values({ ...entry, hash })
    .execute()
  await db.updateTable('security_chain').set({ seq: entry.seq, hash }).where('account_id', '=', accountId).execute()
}
