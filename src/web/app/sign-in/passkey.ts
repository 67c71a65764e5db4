import { mayUsePassword } from '../../../domain/account/credentials.ts'
import { offersPasskeys, requestOptions, usePasskey } from '../../../domain/account/passkeys.ts'
import type { PublicContext } from '../../../domain/context.ts'
import { Problem, problems } from '../../../domain/problem.ts'
import { limitLogins } from '../../../domain/single-sign-on/identity.ts'
import { html } from '../../../lib/html.ts'
import { setCookie } from '../../cookie.ts'
import { denyFraming } from '../../csp.ts'
import { isSameOrigin, safePath } from '../../csrf.ts'
import { formValue } from '../../forms/form-fields.ts'
import { problemText } from '../../i18n/error-texts.ts'
import { t } from '../../i18n/t.ts'
import { authPage } from '../../layout/document.ts'
import type { PageRequest, PageResult } from '../../page.ts'
import { readHalf, START } from './code.ts'
import { passkeyForm, readChallenge, signedOf, storeChallenge } from './passkey-challenge.ts'
import { CODE_PATH, HOME, startSession } from './start-session.ts'

const SIGN_IN_PATH = '/accounts/login/passkey/'

/** Renders the button of the sign-in page. */
export const passkeyButton = (next: string) =>
  passkeyForm(
    SIGN_IN_PATH,
    'get',
    html`<input type="hidden" name="next" value="${next}"><button>Sign in with a passkey</button>`,
  )

/** Returns the options of a sign-in without a password. */
export async function offerPasskeySignIn(request: PageRequest): Promise<PageResult> {
  const challenge = storeChallenge(request, { aim: 'sign_in' })
  return { json: await requestOptions(request.context, challenge) }
}

/** Signs in with a passkey, without a password. */
export async function submitPasskeySignIn(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const form = await request.form()
  const next = safePath(formValue(form, 'next'), request.context.services, HOME)
  const verify = async (context: PublicContext) => {
    if (!offersPasskeys(context.services)) throw problems.invalidLogin()
    const { accountId, ...account } = await usePasskey(context, signedOf(readChallenge(request, 'sign_in'), form))
    if (!mayUsePassword(context.services, account)) throw problems.invalidLogin()
    return accountId
  }
  return submit(request, verify, next, `/accounts/login/?next=${encodeURIComponent(next)}`)
}

/** Returns the options of the passkey after a password. */
export async function offerPasskeyCode(request: PageRequest): Promise<PageResult> {
  const half = readHalf(request)
  if (!half) return START
  const challenge = storeChallenge(request, { aim: 'code', accountId: half.accountId })
  return { json: await requestOptions(request.context, challenge, half.accountId) }
}

/** Signs in with a passkey after the password. */
export async function submitPasskeyCode(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const half = readHalf(request)
  const form = await request.form()
  if (!half) return START
  const verify = async (context: PublicContext) => {
    await half.assertPassword(context)
    const challenge = readChallenge(request, 'code')
    const own = challenge?.accountId === half.accountId ? challenge : undefined
    return (await usePasskey(context, signedOf(own, form), half.accountId)).accountId
  }
  return submit(request, verify, half.next, CODE_PATH)
}

async function submit(
  request: PageRequest,
  verify: (context: PublicContext) => Promise<number>,
  next: string,
  again: string,
): Promise<PageResult> {
  const { ctx, context } = request
  if (!isSameOrigin(ctx, context.services)) return { redirect: again }
  try {
    const result = await limitLogins(context, ctx.ip, () => startSession(request, 'passkey', verify, next))
    setCookie(ctx, context.services, 'sign_in', undefined)
    return result
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter))
    const isTooMany = error.kind === 'too_many'
    return {
      status: isTooMany ? 429 : 401,
      page: authPage(
        t('You cannot sign in'),
        html`
          <p>
            ${
              isTooMany
                ? problemText(error)
                : t('The passkey is not valid for this server, or it took longer than five minutes.')
            }
          </p>
          <p class="below"><a class="button primary" href="${again}">Try again</a></p>`,
      ),
    }
  } finally {
    setCookie(ctx, context.services, 'passkey', undefined)
  }
}
