import { renderSVG } from 'uqr'
import { listPasskeys } from '../../../domain/account/passkeys.ts'
import {
  disableSecondFactor,
  enableSecondFactor,
  findSecondFactor,
  newSecret,
  renewRecoveryCodes,
} from '../../../domain/account/second-factor.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, copyButton, type FormErrors, field } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { confirmationField, originOf } from '../sign-in/providers.ts'
import { passkeysView, SECOND_FACTOR_PATH } from './passkey-list.ts'

/** Renders the section of the account page. */
export const secondFactorSection = (isOn: boolean): Html =>
  html`<section class="card" aria-labelledby="second-factor">
    <h2 id="second-factor">Second factor</h2>
    <p class="soft">
      ${
        isOn
          ? t('On: after your password, you use a passkey or enter a code of your app.')
          : t('Off. With a second factor, a stolen password is not enough to sign in.')
      }
    </p>
    <p class="below">
      <a class="button plain" href="${SECOND_FACTOR_PATH}">${isOn ? t('Change second factor') : t('Set up…')}</a>
    </p>
  </section>`

export const showSecondFactor = (request: SignedInRequest): Promise<PageResult> => secondFactorPage(request)

/** @param form the form that was rejected */
export async function secondFactorPage(
  request: SignedInRequest,
  rejected?: FormErrors,
  form?: 'on' | 'off' | 'codes' | 'passkey',
): Promise<PageResult> {
  const { context, session } = request
  const factor = await findSecondFactor(context, context.actor.id)
  const passkeys = await listPasskeys(context)
  const isRequired = context.services.signIn.secondFactor === 'required'
  return request.render({
    title: t('Second factor'),
    beforeHeading: backLink('/account/', t('Account')),
    scripts: ['copy.js', 'passkey.js'],
    content: html`
      ${
        isRequired &&
        !session.hasSecondFactor &&
        html`<p class="notice">This server requires a second factor. Set it up to continue.</p>`
      }
      ${await passkeysView(request, passkeys, form === 'passkey' ? rejected : undefined)}
      ${!factor?.hasApp && (await setUpView(request, form === 'on' ? rejected : undefined))}
      ${factor && (await recoveryView(request, factor.recoveryCodes, form === 'codes' ? rejected : undefined))}
      ${
        factor?.hasApp &&
        (!isRequired || passkeys.length > 0) &&
        (await turnOffView(request, passkeys.length > 0, form === 'off' ? rejected : undefined))
      }`,
  })
}

const QR_OPTIONS = { ecc: 'M', border: 4, pixelSize: 5 } as const

async function setUpView(request: SignedInRequest, rejected: FormErrors | undefined): Promise<Html> {
  const secret = await newSecret(request.context, formValue(request.form, 'secret'))
  const image = `data:image/svg+xml,${encodeURIComponent(renderSVG(secret.uri, QR_OPTIONS))}`
  return html`<section class="card" aria-labelledby="set-up">
    <h2 id="set-up">Set up with an app</h2>
    <p>
      Scan the picture with an app for one-time codes, such as Aegis, 2FAS or your password manager. Without a camera,
      enter the key in the app.
    </p>
    <p><img src="${image}" alt="${t('QR code for the app')}" width="205" height="205"></p>
    <p class="copyable">
      <code class="secret" id="secret">${secret.text}</code> ${copyButton('secret', t('Copy the key'))}
    </p>
    ${alert(rejected?.general)}
    <form method="post" action="${SECOND_FACTOR_PATH}">
      ${csrfField(request.csrf)}
      <input type="hidden" name="secret" value="${secret.text}">
      ${field({
        name: 'code',
        label: t('Code of the app'),
        hint: t('Six digits.'),
        autocomplete: 'one-time-code',
        attributes: html` inputmode="numeric" maxlength="12"`,
        required: true,
        errors: rejected?.errors,
      })}
      ${await confirmationField(request, SECOND_FACTOR_PATH, {
        name: 'current',
        label: t('Your password'),
        required: true,
        errors: rejected?.errors,
      })}
      <button class="primary">Turn on</button>
    </form>
  </section>`
}

const recoveryView = async (request: SignedInRequest, left: number, rejected: FormErrors | undefined): Promise<Html> =>
  html`<section class="card" aria-labelledby="recovery">
    <h2 id="recovery">Recovery codes</h2>
    <p>
      You have ${pluralize(left, 'recovery code', 'recovery codes')} left. Each replaces a code of the app once, for
      example if you lose your phone. New codes replace the old ones.
    </p>
    ${alert(rejected?.general)}
    <form method="post" action="${SECOND_FACTOR_PATH}codes/">
      ${csrfField(request.csrf)}
      ${await confirmationField(request, SECOND_FACTOR_PATH, {
        id: 'current-codes',
        name: 'current',
        label: t('Your password'),
        required: true,
        errors: rejected?.errors,
      })}
      <button>Make new recovery codes</button>
    </form>
  </section>`

const turnOffView = async (
  request: SignedInRequest,
  hasPasskeys: boolean,
  rejected: FormErrors | undefined,
): Promise<Html> =>
  html`<section class="card" aria-labelledby="off">
    <h2 id="off">${hasPasskeys ? t('Remove the app for codes') : t('Turn the second factor off')}</h2>
    ${alert(rejected?.general)}
    <form method="post" action="${SECOND_FACTOR_PATH}off/">
      ${csrfField(request.csrf)}
      ${await confirmationField(request, SECOND_FACTOR_PATH, {
        id: 'current-off',
        name: 'current',
        label: t('Your password'),
        required: true,
        errors: rejected?.errors,
      })}
      <button class="danger">${hasPasskeys ? t('Remove the app') : t('Turn off')}</button>
    </form>
  </section>`

/** Shows the recovery codes. No later page can show them. */
export const codesPage = (request: SignedInRequest, codes: readonly string[]): PageResult =>
  request.render({
    title: t('Your recovery codes'),
    scripts: ['copy.js'],
    content: html`<section class="card">
      <p>
        Print or store these codes now; you cannot see them again later. Each works once, in place of a code of the app.
      </p>
      <pre class="secret" id="codes">${codes.join('\n')}</pre>
      <div class="actions">
        <a class="button primary" href="/account/">Continue</a> ${copyButton('codes', t('Copy the recovery codes'))}
      </div>
    </section>`,
  })

export const passwordOf = ({ form }: SignedInRequest): string => formValue(form, 'current') ?? ''

export const turnSecondFactorOn = (request: SignedInRequest): Promise<PageResult> =>
  formPage(request, {
    fields: ['code', 'current'],
    act: (context) =>
      enableSecondFactor(
        context,
        {
          secret: formValue(request.form, 'secret') ?? '',
          code: formValue(request.form, 'code') ?? '',
          password: passwordOf(request),
        },
        originOf(request),
      ),
    view: (rejected) => secondFactorPage(request, rejected, 'on'),
    done: (codes) => codesPage(request, codes),
  })

export const makeRecoveryCodes = (request: SignedInRequest): Promise<PageResult> =>
  formPage(request, {
    fields: ['current'],
    act: (context) => renewRecoveryCodes(context, passwordOf(request), originOf(request)),
    view: (rejected) => secondFactorPage(request, rejected, 'codes'),
    done: (codes) => codesPage(request, codes),
  })

export const turnSecondFactorOff = (request: SignedInRequest): Promise<PageResult> =>
  formPage(request, {
    fields: ['current'],
    act: (context) => disableSecondFactor(context, passwordOf(request), originOf(request)),
    view: (rejected) => secondFactorPage(request, rejected, 'off'),
    done: () => ({ redirect: SECOND_FACTOR_PATH, flash: t('App for codes removed.') }),
  })
