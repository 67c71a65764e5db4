import { passwordMark } from '../../../domain/account/credentials.ts'
import { offersPasskeys } from '../../../domain/account/passkeys.ts'
import { findSecondFactor, verifySecondFactor } from '../../../domain/account/second-factor.ts'
import type { PublicContext } from '../../../domain/context.ts'
import { Problem, problems } from '../../../domain/problem.ts'
import { recordThrottled } from '../../../domain/security/record.ts'
import { html } from '../../../lib/html.ts'
import { unseal } from '../../../lib/secrets.ts'
import { readCookie, setCookie } from '../../cookie.ts'
import { denyFraming } from '../../csp.ts'
import { isSameOrigin } from '../../csrf.ts'
import { alert, field } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { problemText } from '../../i18n/error-texts.ts'
import { t } from '../../i18n/t.ts'
import { authPage } from '../../layout/document.ts'
import type { PageRequest, PageResult } from '../../page.ts'
import { passkeyForm } from './passkey-challenge.ts'
import { CODE_PATH, HALF_SIGNED_IN, type HalfSignedIn, startSession } from './start-session.ts'

const MAX_AGE_MS = 600_000
/** Leads to the page on which a sign-in begins. */
export const START: PageResult = { redirect: '/accounts/login/' }

/** Returns the sign-in that has begun with a password or a link; undefined after ten minutes. */
export function readHalf({ ctx, context: { services, now } }: PageRequest) {
  const sealed = readCookie(ctx, services, 'sign_in')
  const text = sealed && unseal(services.secretKey, HALF_SIGNED_IN, sealed)
  const half = text ? (JSON.parse(text) as HalfSignedIn) : undefined
  if (!half || now.getTime() - half.at > MAX_AGE_MS) return undefined
  const assertPassword = async (writing: PublicContext) => {
    // The password has been changed meanwhile.
    if ((await passwordMark(writing, half.accountId)) !== half.mark) throw problems.invalidLogin()
  }
  return { ...half, assertPassword }
}

async function codePage(
  { context }: PageRequest,
  { accountId }: HalfSignedIn,
  rejected?: { status: number; text: string },
): Promise<PageResult> {
  const factor = await findSecondFactor(context, accountId)
  const usesPasskey = (factor?.passkeys ?? 0) > 0 && offersPasskeys(context.services)
  const view = html`
      ${alert(rejected?.text)}
      ${
        usesPasskey &&
        passkeyForm(
          `${CODE_PATH}passkey/`,
          'get',
          html`<button class="primary">Use your passkey</button>
            <p class="soft">Or with a code:</p>`,
        )
      }
      <form method="post" action="${CODE_PATH}">
        ${field({
          name: 'code',
          label: factor?.hasApp === false ? t('Recovery code') : t('Code of your app, or a recovery code'),
          autocomplete: 'one-time-code',
          attributes: usesPasskey
            ? html` maxlength="20" autocapitalize="none" spellcheck="false"`
            : html` autofocus maxlength="20" autocapitalize="none" spellcheck="false"`,
          required: true,
        })}
        <button class="primary">Sign in</button>
      </form>
      <p class="below soft">Without your app and your recovery codes, ask the administrator of this server.</p>
      <p class="below"><a href="/accounts/login/">Start again</a></p>`
  return {
    status: rejected?.status ?? 200,
    page: authPage(t('Enter your code'), view, usesPasskey ? ['passkey.js'] : []),
  }
}

/** Asks for the second factor. */
export async function showCode(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const half = readHalf(request)
  return half ? codePage(request, half) : START
}

/** Signs in with the second factor. */
export async function submitCode(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const { ctx, context } = request
  const half = readHalf(request)
  const form = await request.form()
  if (!half || !isSameOrigin(ctx, context.services)) return START
  const origin = { ipAddress: ctx.ip, device: readCookie(ctx, context.services, 'device') }
  try {
    const isRight = await context.em.transactional((em) =>
      verifySecondFactor({ ...context, em }, half.accountId, formValue(form, 'code') ?? '', origin),
    )
    if (!isRight) {
      await recordThrottled({ ...context, ipAddress: ctx.ip }, half.accountId, 'sign_in_failed', { by: 'code' })
      return codePage(request, half, {
        status: 401,
        text: t('The code is wrong, or has been used. Wait for the next one.'),
      })
    }
    const verify = async (writing: PublicContext) => {
      await half.assertPassword(writing)
      return half.accountId
    }
    const result = await startSession(request, 'code', verify, half.next)
    setCookie(ctx, context.services, 'sign_in', undefined)
    return result
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter))
    return codePage(request, half, { status: error.kind === 'too_many' ? 429 : 401, text: problemText(error) })
  }
}
