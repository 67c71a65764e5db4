import { offersPasskeys, type Passkey } from '../../../domain/account/passkeys.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, field } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { timeTag } from '../../layout/format.ts'
import type { SignedInRequest } from '../../session.ts'
import { confirmationField } from '../sign-in/providers.ts'

export const SECOND_FACTOR_PATH = '/account/second-factor/'
export const PASSKEYS_PATH = `${SECOND_FACTOR_PATH}passkeys/`

/** Renders the passkeys of the account, and the form that adds one. */
export async function passkeysView(
  request: SignedInRequest,
  passkeys: readonly Passkey[],
  rejected: FormErrors | undefined,
): Promise<Part> {
  const isOffered = offersPasskeys(request.context.services)
  if (!isOffered && passkeys.length === 0) return undefined
  return html`<section class="card" aria-labelledby="passkeys">
    <h2 id="passkeys">Passkeys</h2>
    <p>
      A passkey is kept by your device, your password manager or a security key. You sign in with it instead of your
      password, or after your password instead of a code.
    </p>
    ${
      passkeys.length > 0 &&
      html`<ul class="rows">
        ${passkeys.map(
          ({ id, name, createdAt, usedAt }) =>
            html`<li>
              <div>
                <strong>${name}</strong>
                <p class="soft">
                  Added ${timeTag(createdAt)}, ${usedAt ? html`last used ${timeTag(usedAt)}` : t('never used')}
                </p>
              </div>
              <a class="button small" href="${PASSKEYS_PATH}${id}/" aria-label="Change the passkey ${name}">Change…</a>
            </li>`,
        )}
      </ul>`
    }
    ${isOffered && (await addView(request, rejected))}
  </section>`
}

const addView = async (request: SignedInRequest, rejected: FormErrors | undefined): Promise<Html> =>
  html`
    <p data-no-passkey class="soft">To add a passkey, use a browser that supports passkeys, with JavaScript.</p>
    <form method="post" action="${PASSKEYS_PATH}" data-needs-passkey hidden>
      ${alert(rejected?.general)}
      ${csrfField(request.csrf)}
      ${field({
        name: 'name',
        label: t('Name of the passkey'),
        hint: t('For example the device: “Work laptop”.'),
        value: formValue(request.form, 'name') ?? '',
        attributes: html` maxlength="60"`,
        required: true,
        errors: rejected?.errors,
      })}
      ${await confirmationField(request, SECOND_FACTOR_PATH, {
        id: 'current-passkey',
        name: 'current',
        label: t('Your password'),
        required: true,
        errors: rejected?.errors,
      })}
      <button>Add a passkey…</button>
    </form>`
