import { CHALLENGE_MS, newChallenge, type Signed } from '../../../domain/account/passkeys.ts'
import type { PublicContext } from '../../../domain/context.ts'
import { problems } from '../../../domain/problem.ts'
import { html, type Part } from '../../../lib/html.ts'
import { seal, unseal } from '../../../lib/secrets.ts'
import { readCookie, setCookie } from '../../cookie.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import type { PageRequest } from '../../page.ts'

const PURPOSE = 'challenge of a passkey'

/** For what a browser signs a challenge. The challenge is valid for nothing else. */
export type PasskeyAim =
  | { aim: 'sign_in' }
  /** After the password of this account. */
  | { aim: 'code'; accountId: number }
  /** In this session, which has just entered its password. */
  | { aim: 'add'; session: number; name: string }

type Stored = PasskeyAim & { challenge: string; at: number }
type Holder = Pick<PageRequest, 'ctx'> & { context: PublicContext }

/** Makes a challenge, and stores it with its aim in an encrypted cookie. @returns the challenge */
export function storeChallenge({ ctx, context: { services, now } }: Holder, aim: PasskeyAim): string {
  const stored: Stored = { ...aim, challenge: newChallenge(), at: now.getTime() }
  setCookie(ctx, services, 'passkey', seal(services.secretKey, PURPOSE, JSON.stringify(stored)))
  return stored.challenge
}

/** Returns the stored challenge for an aim; undefined if it is older than five minutes, or there is none. */
export function readChallenge<Aim extends PasskeyAim['aim']>(
  { ctx, context: { services, now } }: Holder,
  aim: Aim,
): Extract<Stored, { aim: Aim }> | undefined {
  const sealed = readCookie(ctx, services, 'passkey')
  const text = sealed && unseal(services.secretKey, PURPOSE, sealed)
  const stored = text ? (JSON.parse(text) as Stored) : undefined
  if (!stored || stored.aim !== aim || now.getTime() - stored.at > CHALLENGE_MS) return undefined
  return stored as Extract<Stored, { aim: Aim }>
}

/**
 * Returns what the browser has signed.
 * @throws {Problem} `link_expired` without a valid challenge
 */
export function signedOf(challenge: { challenge: string; at: number } | undefined, form: FormFields): Signed {
  if (!challenge) throw problems.linkExpired()
  return { ...challenge, credential: formValue(form, 'credential') ?? '' }
}

/**
 * Renders a form that is submitted with the reply of a passkey (passkey.js). Hidden without scripts, and in browsers
 * without passkeys.
 * @param path GET returns the options for the browser, POST receives its reply
 */
export const passkeyForm = (path: string, kind: 'create' | 'get', content: Part): Part =>
  html`<form method="post" action="${path}" data-passkey="${kind}" hidden>
    <input type="hidden" name="credential">
    ${content}
    <p class="error" role="alert" hidden></p>
  </form>`
