import {
  addPasskey,
  beginPasskey,
  creationOptions,
  findPasskey,
  removePasskey,
  renamePasskey,
} from '../../../domain/account/passkeys.ts'
import { Problem } from '../../../domain/problem.ts'
import { html } from '../../../lib/html.ts'
import { setCookie } from '../../cookie.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, field } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { passkeyForm, readChallenge, signedOf, storeChallenge } from '../sign-in/passkey-challenge.ts'
import { confirmationField, originOf } from '../sign-in/providers.ts'
import { PASSKEYS_PATH, SECOND_FACTOR_PATH } from './passkey-list.ts'
import { codesPage, passwordOf, secondFactorPage } from './second-factor.ts'

/** Checks the password, and shows the button that creates the passkey. */
export const startPasskey = (request: SignedInRequest): Promise<PageResult> =>
  formPage(request, {
    fields: ['name', 'current'],
    act: (context) =>
      beginPasskey(
        context,
        { name: formValue(request.form, 'name') ?? '', password: passwordOf(request) },
        originOf(request),
      ),
    view: (rejected) => secondFactorPage(request, rejected, 'passkey'),
    done: (name) => {
      storeChallenge(request, { aim: 'add', session: request.session.id, name })
      return request.render({
        title: t('Create the passkey “{name}”', { name }),
        beforeHeading: backLink(SECOND_FACTOR_PATH, t('Second factor')),
        scripts: ['passkey.js'],
        content: html`<section class="card">
          <p>Your browser asks where to keep the passkey. You have five minutes.</p>
          <p data-no-passkey class="error">This browser does not support passkeys.</p>
          ${passkeyForm(
            `${PASSKEYS_PATH}new/`,
            'create',
            html`${csrfField(request.csrf)}<button class="primary">Create the passkey</button>`,
          )}
        </section>`,
      })
    },
  })

/** Returns the options of a new passkey, if the password has been checked. */
export async function offerPasskeyCreation(request: SignedInRequest): Promise<PageResult> {
  const challenge = ownChallenge(request)
  if (!challenge) return { redirect: SECOND_FACTOR_PATH }
  return { json: await creationOptions(request.context, challenge.challenge) }
}

function ownChallenge(request: SignedInRequest) {
  const challenge = readChallenge(request, 'add')
  return challenge?.session === request.session.id ? challenge : undefined
}

/** Returns the error of a passkey that was refused. */
function refusalOf(error: unknown): FormErrors {
  if (!(error instanceof Problem) || !['unauthenticated', 'link_expired'].includes(error.code)) throw error
  const general = t('The passkey was not added: it is not valid, or it took longer than five minutes. Try again.')
  return { general, errors: new Map() }
}

/** Stores a new passkey. */
export async function submitPasskey(request: SignedInRequest): Promise<PageResult> {
  const challenge = ownChallenge(request)
  setCookie(request.ctx, request.context.services, 'passkey', undefined)
  return formPage(request, {
    fields: refusalOf,
    act: (context) => addPasskey(context, challenge?.name ?? '', signedOf(challenge, request.form), request.session.id),
    view: (rejected) => secondFactorPage(request, rejected, 'passkey'),
    done: (codes) => (codes ? codesPage(request, codes) : { redirect: SECOND_FACTOR_PATH, flash: t('Passkey added.') }),
  })
}

export const showPasskey = (request: SignedInRequest): Promise<PageResult> => passkeyPage(request)

async function passkeyPage(
  request: SignedInRequest,
  rejected?: FormErrors,
  form?: 'rename' | 'remove',
): Promise<PageResult> {
  const { id, name } = await findPasskey(request.context, parseId(request.params.id))
  const ofForm = (which: 'rename' | 'remove') => (form === which ? rejected : undefined)
  return request.render({
    title: t('Passkey “{name}”', { name }),
    beforeHeading: backLink(SECOND_FACTOR_PATH, t('Second factor')),
    content: html`
      <section class="card" aria-labelledby="rename">
        <h2 id="rename">Rename the passkey</h2>
        ${alert(ofForm('rename')?.general)}
        <form method="post" action="${PASSKEYS_PATH}${id}/">
          ${csrfField(request.csrf)}
          ${field({
            name: 'name',
            label: t('Name of the passkey'),
            value: form === 'rename' ? (formValue(request.form, 'name') ?? '') : name,
            attributes: html` maxlength="60"`,
            required: true,
            errors: ofForm('rename')?.errors,
          })}
          <button>Rename</button>
        </form>
      </section>
      <section class="card" aria-labelledby="remove">
        <h2 id="remove">Remove the passkey</h2>
        <p>Nobody can sign in with it any more. Delete it from your device or password manager too.</p>
        ${alert(ofForm('remove')?.general)}
        <form method="post" action="${PASSKEYS_PATH}${id}/remove/">
          ${csrfField(request.csrf)}
          ${await confirmationField(request, `${PASSKEYS_PATH}${id}/`, {
            name: 'current',
            label: t('Your password'),
            required: true,
            errors: ofForm('remove')?.errors,
          })}
          <button class="danger">Remove</button>
        </form>
      </section>`,
  })
}

export const savePasskeyName = (request: SignedInRequest): Promise<PageResult> =>
  formPage(request, {
    fields: ['name'],
    act: (context) => renamePasskey(context, parseId(request.params.id), formValue(request.form, 'name') ?? ''),
    view: (rejected) => passkeyPage(request, rejected, 'rename'),
    done: () => ({ redirect: SECOND_FACTOR_PATH, flash: t('Passkey renamed.') }),
  })

export const deletePasskey = (request: SignedInRequest): Promise<PageResult> =>
  formPage(request, {
    fields: ['current'],
    act: (context) => removePasskey(context, parseId(request.params.id), passwordOf(request), originOf(request)),
    view: (rejected) => passkeyPage(request, rejected, 'remove'),
    done: () => ({ redirect: SECOND_FACTOR_PATH, flash: t('Passkey removed.') }),
  })
