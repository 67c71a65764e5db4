import { exportAccount } from '../../../domain/account-data/archive.ts'
import { deleteAccount } from '../../../domain/account-data/delete.ts'
import { type Html, html } from '../../../lib/html.ts'
import { readCookie, setCookie } from '../../cookie.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FieldErrorTexts, field, fieldErrorsOf } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { authPage } from '../../layout/auth-layout.ts'
import { backLink } from '../../layout/back-link.ts'
import { timeTag } from '../../layout/time-tag.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'

/** Where the way out begins, at the end of the account page. */
export const deletionSection = (): Html =>
  html`<section class="card" aria-labelledby="leave"><h2 id="leave">Export or delete your account</h2><p class="soft">Take everything with you as a ZIP archive, or delete the account with everything in it.</p>
<div class="actions"><a class="button" href="/account/export/" download>Export</a><a class="button plain" href="/account/delete/">Delete account…</a></div></section>`

/** Everything that the account owns, as an archive that is made while it is downloaded. */
export const downloadAccount = async ({ context }: SignedInRequest): Promise<PageResult> => ({
  file: await exportAccount(context),
  type: 'application/zip',
  name: `${context.actor.username}.zip`,
})

export const confirmDeleteAccount = async (request: SignedInRequest): Promise<PageResult> => deletionPage(request)

function deletionPage(
  request: SignedInRequest,
  refused?: { errors: FieldErrorTexts; general: string | undefined },
): PageResult {
  return request.render(
    {
      title: 'Delete your account?',
      beforeHeading: backLink('/account/', 'Account'),
      content: html`<section class="card"><p>Your surveys with all responses, your contacts, e-mails, API keys, applications, webhooks and groups are deleted, for everyone you shared them with too. Surveys that others shared with you stay. This cannot be undone.</p>
<div class="actions"><a class="button plain" href="/account/export/" download>Export everything first</a></div>
${alert(refused?.general)}<form method="post" action="/account/delete/">${csrfField(request.csrf)}
<input type="hidden" name="username" autocomplete="username" value="${request.context.actor.username}">
${field({ name: 'password', label: 'Your password', type: 'password', autocomplete: 'current-password', required: true, ...(refused && { errors: refused.errors }) })}
<div class="actions"><button class="danger">Delete account</button><a class="button plain" href="/account/">Cancel</a></div></form></section>`,
    },
    refused ? 422 : 200,
  )
}

/** Deletes the account. The receipt is the answer to the form: it names nobody, so it can be kept as proof. */
export async function removeAccount(request: SignedInRequest): Promise<PageResult> {
  const { ctx, context, form } = request
  const origin = { ipAddress: ctx.ip, device: readCookie(ctx, context.services, 'device') }
  try {
    const receipt = await request.write((inside) => deleteAccount(inside, formValue(form, 'password') ?? '', origin))
    setCookie(ctx, context.services, 'session', undefined)
    const counts = {
      Surveys: receipt.surveys,
      Responses: receipt.responses,
      Contacts: receipt.contacts,
      Webhooks: receipt.webhooks,
      'API keys': receipt.apiKeys,
      Applications: receipt.applications,
      Groups: receipt.groups,
    }
    return {
      page: authPage(
        'Your account is deleted',
        html`<p class="soft">Print this page or save it, if you need proof. It names nobody.</p>
<dl class="facts"><dt>Deleted</dt><dd>${timeTag(receipt.deletedAt)}</dd><dt>Account number</dt><dd>${receipt.accountId}</dd>${Object.entries(counts).map(([what, count]) => html`<dt>${what}</dt><dd>${count.toLocaleString('en')}</dd>`)}</dl>`,
      ),
    }
  } catch (error) {
    return deletionPage(request, fieldErrorsOf(request.toProblem(error), ['password']))
  }
}
