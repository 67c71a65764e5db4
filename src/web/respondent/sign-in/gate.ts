import { admit, isSignedIn } from '../../../domain/identity/authorize-respondent.ts'
import { startSignIn } from '../../../domain/identity/grant.ts'
import { IdentityError, type IdentitySystem, identitySystemOf } from '../../../domain/identity/identity-provider.ts'
import { responseOf } from '../../../domain/invitation/visit.ts'
import type { Log } from '../../../lib/log.ts'
import type { Answer } from '../../page.ts'
import type { Arrived } from '../resolve-request.ts'
import { one, type Pairs } from '../input.ts'
import { keepPending, respondentToken } from './cookie.ts'
import { deniedView, sendAgainView, signInView, unreachableView } from './view.ts'

/** Sign-ins in a row that begin by themselves; after so many without success the respondent has to ask for one more. */
const MOST_ATTEMPTS = 3

/**
 * Holds a respondent up who has to sign in at the owner's identity system, or may not take this survey: the system is
 * asked each time, and only its yes opens. What was sent meanwhile comes back in a form, to be sent again.
 * @param key of the response, or of the one about to be made
 * @param sent the fields of the page that was sent
 */
export async function signInObstacle(arrived: Arrived, key: Buffer, sent?: Pairs): Promise<Answer | undefined> {
  const { visit, snapshot: survey, collector, show, voice } = arrived
  if (!collector.settings.custom_authentication.enabled) return undefined
  const { words } = voice
  try {
    const system = identitySystemOf(visit.context, survey, collector)!
    const token = respondentToken(visit, collector.id)
    // Which questions the answers show is asked often, and neither shows nor stores an answer.
    if (sent && one(sent, '_go') === 'look' && (await isSignedIn(visit.context, system, token, collector.id)))
      return undefined
    const wanted = { survey, collector, key: (await invitedKey(arrived)) ?? key }
    const verdict = await admit(visit.context, system, token, wanted)
    if (verdict === 'allowed') return undefined
    if (verdict === 'refused')
      return { status: 403, page: show({ prefix: words.deniedTitle, content: deniedView(voice) }) }
    if (sent)
      return {
        status: 403,
        page: show({ prefix: words.signInTitle, content: sendAgainView(arrived, key, sent, 'signed out') }),
      }
    if (verdict.signIn > MOST_ATTEMPTS)
      return { status: 403, page: show({ prefix: words.signInTitle, content: signInView(arrived) }) }
    return await leadToSignIn(arrived, system, verdict.signIn)
  } catch (error) {
    if (!(error instanceof IdentityError)) throw error
    return unreachable(arrived, error, sent && sendAgainView(arrived, key, sent, 'unreachable'))
  }
}

/** The page that says that the owner's system does not answer; why, is for our log. */
export function unreachable(
  { visit: { ctx }, snapshot, collector, show, voice, here }: Arrived,
  error: IdentityError,
  instead = unreachableView(voice, here),
): Answer {
  const log = ctx.state.log as Log | undefined
  const { message: reason } = error
  log?.warn({ id: ctx.state.requestId, survey: snapshot.id, collector: collector.id, reason }, 'identity system failed')
  return { status: 503, page: show({ prefix: voice.words.unreachableTitle, content: instead }) }
}

/** An invitation that has its response leads to that one, whatever key a form carries. */
async function invitedKey({ visit, snapshot, collector, stored, invited }: Arrived): Promise<Buffer | undefined> {
  if (stored || !invited || !collector.settings.one_per_invite) return undefined
  return responseOf(visit.context, snapshot, invited)
}

async function leadToSignIn(arrived: Arrived, system: IdentitySystem, attempt: number): Promise<Answer> {
  const { visit, collector, stored } = arrived
  const { address, state, verifier } = await startSignIn(system)
  keepPending(visit, new URL(system.redirectUri).pathname, {
    state,
    verifier,
    collectorId: collector.id,
    key: stored?.key.toString('hex'),
    search: visit.ctx.search,
    attempt,
    at: visit.context.now.getTime(),
  })
  return { redirect: address }
}
