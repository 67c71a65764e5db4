import { timingSafeEqual } from 'node:crypto'
import { digest } from '../../lib/token.ts'
import { passwordMatches } from '../account/password.ts'
import type { Site } from '../site.ts'
import type { CollectorSnapshot, SurveySnapshot } from '../survey/snapshot.ts'

/** Proof that somebody knew the password of a survey; another password makes it void. */
export const passFor = (site: Site, { id }: SurveySnapshot, { settings }: CollectorSnapshot): string =>
  digest(site.secretKey, `survey password ${id} ${settings.password_hash}`).toString('base64url')

/** Whether the survey asks for no password, or the pass is the one for its password. */
export function isPassed(site: Site, snapshot: SurveySnapshot, collector: CollectorSnapshot, pass: string): boolean {
  if (!collector.settings.password_hash) return true
  const [given, right] = [Buffer.from(pass), Buffer.from(passFor(site, snapshot, collector))]
  return given.length === right.length && timingSafeEqual(given, right)
}

/** The pass in exchange for the password; nothing for a wrong one. */
export async function passInExchange(
  site: Site,
  snapshot: SurveySnapshot,
  collector: CollectorSnapshot,
  password: string,
): Promise<string | undefined> {
  const { password_hash } = collector.settings
  const right = password_hash && password.length <= 1000 && (await passwordMatches(password_hash, password))
  return right ? passFor(site, snapshot, collector) : undefined
}
