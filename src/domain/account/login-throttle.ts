import { rateLimitNetwork } from '../../lib/network.ts'
import { digest } from '../../lib/token.ts'
import type { PublicContext } from '../context.ts'
import { problems } from '../problem.ts'

/** Wrong passwords in a row that cost nothing but their time. */
const FREE_ATTEMPTS = 10
/** The wait after one more, in seconds; each further one doubles it. */
const FIRST_WAIT_SECONDS = 30
const MAX_WAIT_SECONDS = 900
/** After so long without a try everything is forgotten, in seconds. */
export const RESET_AFTER_SECONDS = 86_400

/** Where a password is tried from. A known device counts by itself, wherever it is. */
export interface LoginOrigin {
  /** As the connection says. */
  ipAddress: string
  /** What {@link verifyDeviceToken} returns, from a cookie of an earlier sign-in. */
  device?: string | undefined
  /** A developer account whose program asks on behalf of many people, instead of the address. */
  agent?: string | undefined
}

/** Returns who tries: the known device, the developer account, or the network. */
export const throttleKey = ({ ipAddress, device, agent }: LoginOrigin): string =>
  device ? `device ${device}` : agent ? `agent ${agent}` : rateLimitNetwork(ipAddress)

/** The wait that so many tries in a row have earned, in seconds. */
export const waitAfter = (tries: number): number =>
  tries < FREE_ATTEMPTS ? 0 : Math.min(FIRST_WAIT_SECONDS * 2 ** Math.min(tries - FREE_ATTEMPTS, 10), MAX_WAIT_SECONDS)

/**
 * Looks at a password no faster than guessing is bearable. Tries are counted for each account and network: a stranger
 * who guesses elsewhere keeps nobody out. Developer accounts count together: another one is no fresh start. A try is written down before it is looked at, in a connection of its own (a
 * refusal rolls the caller's transaction back), and a right one wipes the slate. All servers count in one table.
 * @param name whom the password is for: an account, or what was typed where nobody is called so
 * @throws {Problem} `too_many_attempts` with the seconds to wait
 */
export async function throttled<Result>(
  { services, now }: PublicContext,
  name: string,
  origin: LoginOrigin,
  look: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  if (!services.rateLimit) return look()
  const place = [
    digest(services.secretKey, `sign-in ${name.toLowerCase()}`),
    origin.agent ? 'agents' : throttleKey(origin),
  ]
  const { rows } = await services.pool.query<{ tries: number; taken: boolean; at: string }>(COUNT_ATTEMPT, [
    ...place,
    now,
    RESET_AFTER_SECONDS,
    FREE_ATTEMPTS,
    FIRST_WAIT_SECONDS,
    MAX_WAIT_SECONDS,
  ])
  if (rows.length === 0) {
    const { rows: held } = await services.pool.query<{ tries: number; at: string }>(READ_ATTEMPTS, place)
    const { tries = FREE_ATTEMPTS, at = now.toISOString() } = held[0] ?? {}
    const left = waitAfter(tries) - (now.getTime() - new Date(at).getTime()) / 1000
    throw problems.tooManyAttempts(Math.max(1, Math.ceil(left)))
  }
  const found = await look()
  if (found !== undefined) await services.pool.query(RESET_ATTEMPTS, place)
  return found
}

/** Counts one more try, unless the wait that the earlier ones have earned is not over yet: then no row comes back. */
const COUNT_ATTEMPT = `insert into sign_in_failure as f (subject, network, tries, at) values ($1, $2, 1, $3)
on conflict (subject, network) do update
  set tries = case when f.at < $3::timestamptz - $4 * interval '1 second' then 1 else f.tries + 1 end, at = excluded.at
  where f.tries < $5
    or f.at + least($6 * power(2, least(f.tries - $5, 10)), $7) * interval '1 second' <= $3::timestamptz
returning tries`
const READ_ATTEMPTS = 'select tries, at from sign_in_failure where subject = $1 and network = $2'
const RESET_ATTEMPTS = 'delete from sign_in_failure where subject = $1 and network = $2'
