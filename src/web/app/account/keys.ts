import { createApiKey, findApiKey, KEY_LIFETIMES, listApiKeys, revokeApiKey } from '../../../domain/account/api-keys.ts'
import { html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { alert, copyButton, type FormErrors, field, select } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import { dateTag } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'

const KEYS_PATH = '/account/keys/'

export const showKeys = (request: SignedInRequest): Promise<PageResult> => keysPage(request, {})

async function keysPage(
  request: SignedInRequest,
  { created, rejected }: { created?: string; rejected?: FormErrors },
): Promise<PageResult> {
  const { context, csrf, form } = request
  const keys = await listApiKeys(context)
  const value = (name: string) => (rejected ? (formValue(form, name) ?? '') : '')
  return request.render({
    title: t('API keys'),
    scripts: ['copy.js'],
    content: html`
      ${
        created &&
        html`<div class="notice" role="status">
          <p>Copy your new API key now. You cannot see it again later.</p>
          <p class="copyable">
            <code class="secret" id="new-key">${created}</code> ${copyButton('new-key', t('Copy the API key'))}
          </p>
        </div>`
      }
      <p class="soft">
        Programs use API keys to sign in with HTTP Basic. A program sends your username as the username and a key as the
        password. It can also send a key as the username and your password as the password. To replace a key, create a
        new key, update your program, then revoke the old
        key.${
          context.actor.isDeveloper &&
          t(' You have a developer account, so your keys can also create users and login links.')
        }
      </p>
      <section class="card" aria-labelledby="keys">
        <h2 id="keys">Your keys</h2>
        ${
          keys.length === 0
            ? html`<p class="soft">No API keys yet.</p>`
            : html`<ul class="rows">
              ${keys.map(
                ({ id, name, hint, createdAt, isReadOnly, expiresAt, usedAt }) =>
                  html`<li>
                    <div>
                      <strong>${name || t('Unnamed key')}</strong>
                      ${isReadOnly && html` <span class="tag">read only</span>`}
                      ${expiresAt && expiresAt <= context.now && html` <span class="tag">expired</span>`}
                      <p class="soft">
                        ending in <code>${hint}</code>, created ${dateTag(createdAt)},
                        ${usedAt ? html`last used ${dateTag(usedAt)}` : t('not used yet')}
                      </p>
                      ${expiresAt && html`<p class="soft">Expires ${dateTag(expiresAt)}</p>`}
                    </div>
                    <a class="button plain danger small" href="${KEYS_PATH}${id}/revoke/"
                        aria-label="Revoke key ending in ${hint}">Revoke…</a>
                  </li>`,
              )}
            </ul>`
        }
      </section>
      <section class="card" aria-labelledby="new">
        <h2 id="new">New API key</h2>
        ${alert(rejected?.general)}
        <form method="post" action="/account/keys/">
          ${csrfField(csrf)}
          ${field({
            name: 'name',
            label: t('Key name'),
            value: value('name'),
            hint: t('For example, nightly export.'),
            required: true,
            errors: rejected?.errors,
          })}
          ${select({
            name: 'access',
            label: t('Allows'),
            value: value('access'),
            options: [
              { value: '', label: t('reading and writing') },
              { value: 'read', label: t('reading only') },
            ],
          })}
          ${select({
            name: 'expires',
            label: t('Expires'),
            value: value('expires'),
            options: [
              { value: '', label: t('never') },
              ...KEY_LIFETIMES.map((days) => ({ value: String(days), label: t('after {days} days', { days }) })),
            ],
            errors: rejected?.errors,
          })}
          <button class="primary">Create key</button>
        </form>
      </section>
      <section class="card" aria-labelledby="applications">
        <h2 id="applications">OAuth applications</h2>
        <p class="soft">Register an application that uses OAuth 2.0 to act for other users.</p>
        <p class="below"><a class="button plain" href="/accounts/developer/">Your applications</a></p>
      </section>`,
  })
}

/**
 * Creates an API key and shows the key in the reply. No later page can show it, because only the hash of the key is
 * stored.
 */
export function createKey(request: SignedInRequest): Promise<PageResult> {
  const value = (name: string) => formValue(request.form, name) ?? ''
  const days = value('expires')
  const draft = {
    name: value('name'),
    isReadOnly: value('access') === 'read',
    days: days === '' ? undefined : Number(days),
  }
  return formPage(request, {
    fields: ['name', 'expires'],
    act: (context) => createApiKey(context, draft),
    view: (rejected) => keysPage(request, { rejected }),
    done: (created) => keysPage(request, { created }),
  })
}

/** Asks for confirmation before an API key is revoked. */
export async function confirmRevokeKey(request: SignedInRequest): Promise<PageResult> {
  const { name, hint, createdAt } = await findApiKey(request.context, parseId(request.params.id))
  return confirmPage(request, {
    title: t('Revoke “{name}”?', { name: name || hint }),
    beforeHeading: backLink(KEYS_PATH, t('API keys')),
    text: html`
      The key ending in <code>${hint}</code>, created ${dateTag(createdAt)}, stops working immediately. Programs that
      use it can no longer sign in. You cannot undo this.`,
    button: t('Revoke key'),
    cancel: { label: t('Cancel'), path: KEYS_PATH },
  })
}

export async function revokeKey(request: SignedInRequest): Promise<PageResult> {
  await request.write((context) => revokeApiKey(context, parseId(request.params.id)))
  request.flash(t('API key revoked.'))
  return { redirect: KEYS_PATH }
}
