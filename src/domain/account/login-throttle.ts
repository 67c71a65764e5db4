import { rateLimitNetwork, SITE_FACTOR, siteNetwork } from '../../lib/network.ts'
import { digest } from '../../lib/secrets.ts'
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
  /**
   * Id of the session of the request. If its person has just signed in again at an OpenID provider, an empty password
   * is sufficient.
   */
  session?: number | undefined
}

/** Returns the key under which attempts are counted: the known device, the developer account or the network. */
export const throttleKey = ({ ipAddress, device, agent }: LoginOrigin): string =>
  device ? `device ${device}` : agent ? `agent ${agent}` : rateLimitNetwork(ipAddress)

/** Returns the wait in seconds after a number of consecutive failures, of which some are free. */
export const waitAfter = (tries: number, free = FREE_ATTEMPTS): number =>
  tries < free ? 0 : Math.min(FIRST_WAIT_SECONDS * 2 ** Math.min(tries - free, 10), MAX_WAIT_SECONDS)

/** A number of attempts that is counted together, and the number of free ones. */
type Budget = readonly [subject: Buffer, network: string, free: number]

/** Returns the budgets of an attempt: that of its origin and, for an IPv6 network, the larger one of its site. */
function budgetsOf({ services }: PublicContext, subject: string, origin: LoginOrigin): Budget[] {
  const key = digest(services.secretKey, `sign-in ${subject.toLowerCase()}`)
  const source = origin.agent ? 'agents' : throttleKey(origin)
  const site = siteNetwork(source)
  const own: Budget = [key, source, FREE_ATTEMPTS]
  return site ? [own, [key, site, FREE_ATTEMPTS * SITE_FACTOR]] : [own]
}

/**
 * Counts an attempt in budgets, unless one of them is exhausted.
 * @returns the exhausted budget
 */
async function countAttempt({ services, now }: PublicContext, budgets: Budget[]): Promise<Budget | undefined> {
  for (const budget of budgets) {
    const [subject, network, free] = budget
    const values = [subject, network, now, RESET_AFTER_SECONDS, free, FIRST_WAIT_SECONDS, MAX_WAIT_SECONDS]
    const { rows } = await services.pool.query(COUNT_ATTEMPT, values)
    if (rows.length === 0) return budget
  }
  return undefined
}

async function waitSeconds({ services, now }: PublicContext, [subject, network, free]: Budget): Promise<number> {
  const { rows } = await services.pool.query<{ tries: number; at: string }>(READ_ATTEMPTS, [subject, network])
  const { tries = free, at = now.toISOString() } = rows[0] ?? {}
  const seconds = waitAfter(tries, free) - (now.getTime() - new Date(at).getTime()) / 1000
  return Math.max(1, Math.ceil(seconds))
}

/**
 * Runs a password check unless too many earlier checks have failed. Attempts are counted per name and network (or known
 * device), so that an attacker cannot lock out users in other networks or on their own devices. Attempts through
 * programs of developer accounts are counted only per name: all programs share one count for each user. An attempt is
 * stored before the check, on a separate connection because an error rolls back the transaction of the caller. A
 * success resets the counts. All servers share one table.
 * @param name the survey that the password belongs to, or the entered name of an account
 * @param account a further subject whose attempts are counted, because several names belong to it. If only its budget
 *   is exhausted, the password counts as wrong. An error would reveal that the names belong to one account.
 * @throws {Problem} `too_many_attempts` with the seconds to wait
 */
export async function throttled<Result>(
  context: PublicContext,
  name: string,
  origin: LoginOrigin,
  attempt: () => Promise<Result | undefined>,
  account?: string,
): Promise<Result | undefined> {
  const { services } = context
  if (!services.rateLimit) return attempt()
  const budgets = budgetsOf(context, name, origin)
  const shared = account === undefined ? [] : budgetsOf(context, account, origin)
  const exhausted = await countAttempt(context, budgets)
  if (exhausted) throw problems.tooManyAttempts(await waitSeconds(context, exhausted))
  const isRefused = (await countAttempt(context, shared)) !== undefined
  const result = await attempt()
  if (result === undefined || isRefused) return undefined
  for (const [subject, network] of [...budgets, ...shared])
    await services.pool.query(RESET_ATTEMPTS, [subject, network])
  return result
}

/** Counts an attempt. Returns no row if the subject still has to wait because of earlier attempts. */
const COUNT_ATTEMPT = `insert into sign_in_failure as f (subject, network, tries, at) values ($1, $2, 1, $3)
on conflict (subject, network) do update
  set tries = case when f.at < $3::timestamptz - $4 * interval '1 second' then 1 else f.tries + 1 end, at = excluded.at
  where f.tries < $5
    or f.at + least($6 * power(2, least(f.tries - $5, 10)), $7) * interval '1 second' <= $3::timestamptz
returning tries`
const READ_ATTEMPTS = 'select tries, at from sign_in_failure where subject = $1 and network = $2'
const RESET_ATTEMPTS = 'delete from sign_in_failure where subject = $1 and network = $2'
