import { timingSafeEqual } from 'node:crypto'
import { digest } from '../../lib/secrets.ts'
import { type LoginOrigin, throttled } from '../account/login-throttle.ts'
import { passwordMatches } from '../account/password.ts'
import type { PublicContext } from '../context.ts'
import type { Services } from '../services.ts'
import type { CollectorSnapshot, SurveySnapshot } from '../survey/snapshot.ts'

/**
 * Returns the cookie value which proves that the password of a survey was entered. The cookie value becomes invalid
 * when the password changes.
 */
export const passwordCookieValue = (
  services: Services,
  { id }: SurveySnapshot,
  { settings }: CollectorSnapshot,
): string => digest(services.secretKey, `survey password ${id} ${settings.password_hash}`).toString('base64url')

/** Returns whether a cookie value is valid for the password of the survey; true for a survey without a password. */
export function isPasswordCookieValid(
  services: Services,
  snapshot: SurveySnapshot,
  collector: CollectorSnapshot,
  cookie: string,
): boolean {
  if (!collector.settings.password_hash) return true
  const [actual, expected] = [Buffer.from(cookie), Buffer.from(passwordCookieValue(services, snapshot, collector))]
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

/**
 * Returns the cookie value for a correct password; undefined for a wrong password, or if the survey has no password.
 * @throws {Problem} `too_many_attempts` with the seconds to wait (attempts are limited as for sign-in);
 *   `too_many_requests`
 */
export async function exchangePassword(
  context: PublicContext,
  snapshot: SurveySnapshot,
  collector: CollectorSnapshot,
  password: string,
  origin: LoginOrigin,
): Promise<string | undefined> {
  const { password_hash } = collector.settings
  if (!password_hash) return undefined
  // All collectors that use the password of the survey share one counter of attempts.
  const suffix = password_hash === snapshot.settings.password_hash ? '' : `/collectors/${collector.id}`
  return throttled(context, `/surveys/${snapshot.id}${suffix}`, origin, async () => {
    const matches = await context.services.limits.checkPassword(() => passwordMatches(password_hash, password))
    return matches ? passwordCookieValue(context.services, snapshot, collector) : undefined
  })
}
