import { rateLimitNetwork } from '../../lib/network.ts'
import { digest } from '../../lib/token.ts'
import type { PublicContext } from '../context.ts'
import { problems } from '../problem.ts'

/** Number of consecutive wrong passwords before a user has to wait. */
const FREE_ATTEMPTS = 10
/** Time that a user has to wait first. Each further wrong password doubles the time. */
const FIRST_WAIT_SECONDS = 30
const MAX_WAIT_SECONDS = 900
/** Time without an attempt after which the count starts again. */
export const RESET_AFTER_SECONDS = 86_400

/** The origin of a login. Failures on a known device are counted for the device, whatever its IP address is. */
export interface LoginOrigin {
  /** The IP address of the client. */
  ipAddress: string
  /** Id from {@link verifyDeviceToken}, stored in a cookie at an earlier login. */
  device?: string | undefined
  /**
   * Id of the developer account whose program signs users in. If set, attempts are counted for the developer account
   * instead of the IP address.
   */
  agent?: string | undefined
}

/** Returns the key under which attempts are counted: the known device, the developer account or the network. */
export const throttleKey = ({ ipAddress, device, agent }: LoginOrigin): string =>
  device ? `device ${device}` : agent ? `agent ${agent}` : rateLimitNetwork(ipAddress)

/** Returns the wait in seconds after a number of consecutive failures. */
export const waitAfter = (tries: number): number =>
  tries < FREE_ATTEMPTS ? 0 : Math.min(FIRST_WAIT_SECONDS * 2 ** Math.min(tries - FREE_ATTEMPTS, 10), MAX_WAIT_SECONDS)

/**
 * Runs a password check unless too many earlier checks have failed. Attempts are counted per account and network (or
 * known device), so that an attacker cannot lock out users in other networks. Attempts through programs of developer
 * accounts are counted only per account of a user: all programs share one count for each user. An attempt is stored
 * before the check, on a separate connection because an error rolls back the transaction of the caller. A success
 * resets the count. All servers share one table.
 * @param name the account or survey that the password belongs to, or the entered name if no such account exists
 * @throws {Problem} `too_many_attempts` with the seconds to wait
 */
export async function throttled<Result>(
  { services, now }: PublicContext,
  name: string,
  origin: LoginOrigin,
  attempt: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  if (!services.rateLimit) return attempt()
  const key = [
    digest(services.secretKey, `sign-in ${name.toLowerCase()}`),
    origin.agent ? 'agents' : throttleKey(origin),
  ]
  const { rows } = await services.pool.query<{ tries: number }>(COUNT_ATTEMPT, [
    ...key,
    now,
    RESET_AFTER_SECONDS,
    FREE_ATTEMPTS,
    FIRST_WAIT_SECONDS,
    MAX_WAIT_SECONDS,
  ])
  if (rows.length === 0) {
    const { rows: counted } = await services.pool.query<{ tries: number; at: string }>(READ_ATTEMPTS, key)
    const { tries = FREE_ATTEMPTS, at = now.toISOString() } = counted[0] ?? {}
    const waitSeconds = waitAfter(tries) - (now.getTime() - new Date(at).getTime()) / 1000
    throw problems.tooManyAttempts(Math.max(1, Math.ceil(waitSeconds)))
  }
  const result = await attempt()
  if (result !== undefined) await services.pool.query(RESET_ATTEMPTS, key)
  return result
}

/** Counts an attempt. Returns no row if the account still has to wait because of earlier attempts. */
const COUNT_ATTEMPT = `insert into sign_in_failure as f (subject, network, tries, at) values ($1, $2, 1, $3)
on conflict (subject, network) do update
  set tries = case when f.at < $3::timestamptz - $4 * interval '1 second' then 1 else f.tries + 1 end, at = excluded.at
  where f.tries < $5
    or f.at + least($6 * power(2, least(f.tries - $5, 10)), $7) * interval '1 second' <= $3::timestamptz
returning tries`
const READ_ATTEMPTS = 'select tries, at from sign_in_failure where subject = $1 and network = $2'
const RESET_ATTEMPTS = 'delete from sign_in_failure where subject = $1 and network = $2'
