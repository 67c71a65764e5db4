import { createApiKey, findApiKey, listApiKeys, revokeApiKey } from '../../../domain/account/api-keys.ts'
import { html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { alert, type FieldErrorTexts, field, fieldErrorsOf } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { backLink } from '../../layout/back-link.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'

const KEYS = '/account/keys/'

export const showKeys = (request: SignedInRequest): Promise<PageResult> => keysPage(request, {})

async function keysPage(
  request: SignedInRequest,
  { made, errors = new Map(), general }: { made?: string; errors?: FieldErrorTexts; general?: string | undefined },
): Promise<PageResult> {
  const { context, csrf, form } = request
  const keys = await listApiKeys(context)
  const refused = errors.size > 0 || general !== undefined
  return request.render(
    {
      title: 'API keys',
      content: html`${
        made &&
        html`<div class="notice" role="status"><p>Here is your new key. It is shown only now, so keep it somewhere safe.</p><p><code class="secret">${made}</code></p></div>`
      }<p class="soft">A program signs in with a key as user name and your password, or with your user name and a key as password. To replace a key, make a new one, give it to the program, then revoke the old one.${
        context.actor.isDeveloper && ' Yours are developer keys: they open accounts and make login addresses.'
      }</p>
<section class="card" aria-labelledby="keys"><h2 id="keys">Your keys</h2>${
        keys.length === 0
          ? html`<p class="soft">You have none yet.</p>`
          : html`<ul class="rows">${keys.map(
              ({ id, name, hint, createdAt }) =>
                html`<li><div><strong>${name || 'Without a name'}</strong><p class="soft">ends with <code>${hint}</code>, made on ${createdAt.toISOString().slice(0, 10)}</p></div>
<a class="button plain small" href="${KEYS}${id}/revoke/" aria-label="Revoke the key that ends with ${hint}">Revoke…</a></li>`,
            )}</ul>`
      }</section>
<section class="card" aria-labelledby="new"><h2 id="new">New key</h2>${alert(general)}<form method="post" action="/account/keys/">${csrfField(csrf)}
${field({ name: 'name', label: 'What will use it?', value: refused ? (formValue(form, 'name') ?? '') : '', hint: 'For example: nightly export.', required: true, errors })}
<button class="primary">Make a key</button></form></section>
<section class="card" aria-labelledby="applications"><h2 id="applications">Applications for other people</h2><p class="soft">A program that acts for many people asks each of them, by OAuth 2.0.</p><p class="below"><a class="button plain" href="/accounts/developer/">Your applications</a></p></section>`,
    },
    refused ? 422 : 200,
  )
}

/** The key is in the answer to the form itself: it is kept nowhere that a redirect could fetch it from. */
export async function createKey(request: SignedInRequest): Promise<PageResult> {
  try {
    return await keysPage(request, {
      made: await request.write((context) => createApiKey(context, formValue(request.form, 'name') ?? '')),
    })
  } catch (error) {
    return keysPage(request, fieldErrorsOf(error, ['name']))
  }
}

/** Asks before a program is cut off. */
export async function confirmRevokeKey(request: SignedInRequest): Promise<PageResult> {
  const { name, hint, createdAt } = await findApiKey(request.context, parseId(request.params.id))
  return confirmPage(request, {
    title: `Revoke “${name || hint}”?`,
    beforeHeading: backLink(KEYS, 'API keys'),
    text: html`The key that ends with <code>${hint}</code>, made on ${createdAt.toISOString().slice(0, 10)}, stops working at once, and whatever uses it can no longer sign in. Nobody can bring it back.`,
    button: 'Revoke it',
    cancel: { label: 'Keep it', path: KEYS },
  })
}

export async function revokeKey(request: SignedInRequest): Promise<PageResult> {
  await request.write((context) => revokeApiKey(context, parseId(request.params.id)))
  request.flash('The key is revoked.')
  return { redirect: KEYS }
}
