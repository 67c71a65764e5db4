import { digest } from '../../lib/token.ts'
import type { PublicContext } from '../context.ts'
import type { CollectorSnapshot, SurveySnapshot } from '../survey/snapshot.ts'
import { ask } from './request.ts'
import { IdentityError, type IdentitySystem } from './system.ts'

/** To what somebody wants access. */
export interface Wanted {
  survey: SurveySnapshot
  collector: CollectorSnapshot
  /** Of the response, or of the one that is about to be made. */
  key: Buffer
}

/** `unknown`: nobody is signed in any more with this token. */
export type Permission = 'allowed' | 'refused' | 'unknown'

/**
 * Asks an identity system whether a respondent may see and change a response (specification, "Custom authentication").
 * @throws {IdentityError} when it says neither yes nor no
 */
export async function askPermission(
  context: PublicContext,
  { endpoint }: IdentitySystem,
  accessToken: string,
  wanted: Wanted,
): Promise<Permission> {
  const form = new URLSearchParams({
    method: 'access_response',
    survey: String(wanted.survey.id),
    response: responseName(context, wanted),
  })
  const authorization = `Bearer ${accessToken}`
  const { status, members, error } = await ask(context.site, `${endpoint}/callback`, form, { authorization })
  if (error === 'invalid_grant') return 'unknown'
  if (status === 404) return 'refused'
  if (status < 200 || status > 299) throw new IdentityError(`it answered with status ${status}`, { code: error })
  if (error !== undefined) throw new IdentityError(`it answered ${error}`, { code: error })
  if (!members) throw new IdentityError('it answered with something that is no JSON')
  return 'allowed'
}

/**
 * What a response is called: its key. Who was promised to stay anonymous is called by a name of the same form that leads
 * to no response, for the owner of the survey knows the keys, and the system knows who is signed in.
 */
const responseName = ({ site }: PublicContext, { collector, key }: Wanted): string =>
  (collector.settings.anonymous
    ? digest(site.secretKey, `anonymous response ${key.toString('hex')}`).subarray(0, key.length)
    : key
  ).toString('hex')
