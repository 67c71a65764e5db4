import { sql } from 'kysely'
import { digest, randomCode, seal, unseal } from '../../lib/secrets.ts'
import type { Context, PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import { recordSecurityEvent, type SecurityEventKind } from '../security/record.ts'
import { notifyOwner, type SystemEmailName } from '../system-email.ts'
import type { Tables } from '../tables.ts'
import { verifyCurrentPassword } from './change-password.ts'
import { type LoginOrigin, throttled } from './login-throttle.ts'
import { endSessions } from './session.ts'

/** The parameters that all apps support (RFC 6238). */
const PERIOD_SECONDS = 30
const DIGITS = 6
/** Codes of this many steps before and after the present one are accepted, because clocks differ. */
const WINDOW = 1
const SECRET_BYTES = 20
const RECOVERY_CODES = 10
const HALF_CODE_CHARACTERS = 5
const PURPOSE = 'second factor'
/** Instead of the sealed secret of an app. */
const NO_APP = ''

const db = ({ em }: PublicContext) => em.getKysely<Tables>()
const recoveryHash = ({ services }: PublicContext, code: string): Buffer =>
  digest(services.secretKey, `recovery code ${code.replace(/[^A-Za-z0-9]/g, '')}`)

/**
 * Records a change of what an account signs in with, and emails its owner, because someone else may have made it (NIST
 * SP 800-63B-4, "Account Notifications").
 */
export async function recordFactorChange(
  context: PublicContext,
  accountId: number,
  change: SecurityEventKind & SystemEmailName,
  values: Readonly<Record<string, string>> = {},
): Promise<void> {
  await recordSecurityEvent(context, accountId, change)
  // Where the owner undoes it: the email says how.
  const isOnPage = change === 'passkey_added' || change === 'recovery_code_used'
  const path = isOnPage ? '/account/second-factor/' : '/accounts/password/'
  await notifyOwner(context, accountId, { name: change, values: { url: context.services.baseUrl + path, ...values } })
}

/** A secret that an app has not confirmed yet. */
export interface NewSecret {
  /** Base32, as people enter it in an app. */
  text: string
  /** The address in the QR code. */
  uri: string
}

const totp = async (secret: string, label = '') => {
  const { Secret, TOTP } = await import('otpauth')
  return new TOTP({
    issuer: 'Canvass',
    label,
    secret: Secret.fromBase32(secret),
    period: PERIOD_SECONDS,
    digits: DIGITS,
  })
}

/** Returns a new secret for the app of the actor, or the given one again. Stores nothing. */
export async function newSecret({ actor }: Context, given?: string): Promise<NewSecret> {
  const { Secret } = await import('otpauth')
  const isSecret = given !== undefined && /^[A-Z2-7]{32}$/.test(given)
  const text = isSecret ? given : new Secret({ size: SECRET_BYTES }).base32
  return { text, uri: (await totp(text, actor.username)).toString() }
}

/** Returns the step of a code; undefined if the code is wrong. */
async function stepOf(secret: string, code: string, now: Date): Promise<number | undefined> {
  const digits = code.replace(/\s/g, '')
  if (!/^\d{6}$/.test(digits)) return undefined
  const delta = (await totp(secret)).validate({ token: digits, timestamp: now.getTime(), window: WINDOW })
  return delta === null ? undefined : Math.floor(now.getTime() / 1000 / PERIOD_SECONDS) + delta
}

/**
 * Turns the second factor of the actor on, and ends all other sessions.
 * @returns the recovery codes, which cannot be read again
 * @throws {Problem} `invalid_request` in `code` or `current`, `too_many_attempts`
 */
export async function enableSecondFactor(
  context: Context,
  { secret, code, password }: { secret: string; code: string; password: string },
  origin: LoginOrigin & { session: number },
): Promise<string[]> {
  const { actor, now, services } = context
  await verifyCurrentPassword(context, password, origin)
  const step = /^[A-Z2-7]{32}$/.test(secret) ? await stepOf(secret, code, now) : undefined
  if (step === undefined) throw problems.invalidField('code', 'invalid_value')
  const codes = newRecoveryCodes()
  await db(context)
    .insertInto('second_factor')
    .values({
      account_id: actor.id,
      secret: seal(services.secretKey, PURPOSE, secret),
      last_step: step,
      recovery_codes: codes.map((each) => recoveryHash(context, each)),
      created_at: now,
    })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet(({ ref }) => ({
        secret: ref('excluded.secret'),
        last_step: ref('excluded.last_step'),
        recovery_codes: ref('excluded.recovery_codes'),
        created_at: ref('excluded.created_at'),
      })),
    )
    .execute()
  await endSessions(context, actor.id, origin.session)
  await recordFactorChange(context, actor.id, 'second_factor_enabled')
  await services.invalidateCredentials(context.em, [actor.id])
  return codes
}

const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    [randomCode(HALF_CODE_CHARACTERS), randomCode(HALF_CODE_CHARACTERS)].join('-'),
  )

/**
 * Replaces the recovery codes of the actor.
 * @returns the new codes, which cannot be read again
 * @throws {Problem} `invalid_request` in `current`, `too_many_attempts`
 */
export async function renewRecoveryCodes(context: Context, password: string, origin: LoginOrigin): Promise<string[]> {
  await verifyCurrentPassword(context, password, origin)
  const codes = newRecoveryCodes()
  await db(context)
    .updateTable('second_factor')
    .set({ recovery_codes: codes.map((each) => recoveryHash(context, each)) })
    .where('account_id', '=', context.actor.id)
    .execute()
  return codes
}

/**
 * Removes the app of the actor. Without passkeys, the second factor is off.
 * @throws {Problem} `invalid_request` in `current`, `too_many_attempts`, `second_factor_required`
 */
export async function disableSecondFactor(context: Context, password: string, origin: LoginOrigin): Promise<void> {
  await verifyCurrentPassword(context, password, origin)
  const { numUpdatedRows } = await db(context)
    .updateTable('second_factor')
    .set({ secret: NO_APP })
    .where('account_id', '=', context.actor.id)
    .where(sql<boolean>`exists (select from passkey where account_id = ${context.actor.id})`)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n) return recordFactorChange(context, context.actor.id, 'second_factor_app_removed')
  if (context.services.signIn.secondFactor === 'required') throw problems.secondFactorRequired()
  await removeSecondFactor(context, context.actor.id)
}

/**
 * Gives the actor recovery codes, unless there are some, because a passkey is the first second factor. Ends all other
 * sessions then.
 * @returns the codes, which cannot be read again
 */
export async function addRecoveryCodes(context: Context, session: number): Promise<string[] | undefined> {
  const codes = newRecoveryCodes()
  const { numInsertedOrUpdatedRows } = await db(context)
    .insertInto('second_factor')
    .values({
      account_id: context.actor.id,
      secret: NO_APP,
      last_step: 0,
      recovery_codes: codes.map((each) => recoveryHash(context, each)),
      created_at: context.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows !== 1n) return undefined
  await endSessions(context, context.actor.id, session)
  await recordSecurityEvent(context, context.actor.id, 'second_factor_enabled')
  await context.services.invalidateCredentials(context.em, [context.actor.id])
  return codes
}

/**
 * Removes the second factor of an account that has lost its app, its passkeys and its recovery codes.
 * @returns whether it had one
 */
export async function removeSecondFactor(context: PublicContext, accountId: number): Promise<boolean> {
  await db(context).deleteFrom('passkey').where('account_id', '=', accountId).execute()
  const { numDeletedRows } = await db(context)
    .deleteFrom('second_factor')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) return false
  await recordFactorChange(context, accountId, 'second_factor_disabled')
  await context.services.invalidateCredentials(context.em, [accountId])
  return true
}

/** The second factor of an account. */
export interface SecondFactor {
  /** How many recovery codes are left. */
  recoveryCodes: number
  /** Whether there is an app for codes. */
  hasApp: boolean
  passkeys: number
}

/** Returns the second factor of an account; undefined without one. */
export const findSecondFactor = (context: PublicContext, accountId: number): Promise<SecondFactor | undefined> =>
  db(context)
    .selectFrom('second_factor')
    .select([
      sql<number>`cardinality(recovery_codes)`.as('recoveryCodes'),
      sql<boolean>`secret <> ${NO_APP}`.as('hasApp'),
      sql<number>`(select count(*)::integer from passkey where account_id = ${accountId})`.as('passkeys'),
    ])
    .where('account_id', '=', accountId)
    .executeTakeFirst()

/**
 * Checks the code of an app, or a recovery code, which then works no more. Attempts are limited as those with passwords
 * are.
 * @returns whether the code is right
 * @throws {Problem} `too_many_attempts`
 */
export async function verifySecondFactor(
  context: PublicContext,
  accountId: number,
  code: string,
  origin: LoginOrigin,
): Promise<boolean> {
  const accepted = await throttled(context, `second factor ${accountId}`, origin, async () =>
    (await useCode(context, accountId, code)) || (await useRecoveryCode(context, accountId, code)) ? true : undefined,
  )
  return accepted === true
}

/** A code works once: its step is later than that of the last code. */
async function useCode(context: PublicContext, accountId: number, code: string): Promise<boolean> {
  const row = await db(context)
    .selectFrom('second_factor')
    .select('secret')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  const secret = row && unseal(context.services.secretKey, PURPOSE, row.secret)
  const step = secret && (await stepOf(secret, code, context.now))
  if (!step) return false
  const { numUpdatedRows } = await db(context)
    .updateTable('second_factor')
    .set({ last_step: step })
    .where('account_id', '=', accountId)
    .where('last_step', '<', step)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

async function useRecoveryCode(context: PublicContext, accountId: number, code: string): Promise<boolean> {
  const hash = recoveryHash(context, code)
  const rest = await db(context)
    .updateTable('second_factor')
    .set({ recovery_codes: sql<Buffer[]>`array_remove(recovery_codes, ${hash})` })
    .where('account_id', '=', accountId)
    .where(sql<boolean>`${hash} = any(recovery_codes)`)
    .returning(sql<number>`cardinality(recovery_codes)`.as('codes'))
    .executeTakeFirst()
  if (!rest) return false
  await recordFactorChange(context, accountId, 'recovery_code_used', { left: String(rest.codes) })
  return true
}
