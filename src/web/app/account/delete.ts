import { exportAccount } from '../../../domain/account-data/archive.ts'
import { deleteAccount } from '../../../domain/account-data/delete.ts'
import { type Html, html } from '../../../lib/html.ts'
import { readCookie, setCookie } from '../../cookie.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, field, fieldErrorsOf } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { authPage } from '../../layout/auth-layout.ts'
import { backLink } from '../../layout/back-link.ts'
import { timeTag } from '../../layout/time-tag.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'

/** Renders the section of the account page with which users export or delete their account. */
export const deletionSection = (): Html =>
  html`<section class="card" aria-labelledby="delete"><h2 id="delete">Export or delete your account</h2><p class="soft">Download all your data as a ZIP archive, or delete your account and all its data.</p>
<div class="actions"><a class="button plain" href="/account/export/" download>Export</a><a class="button plain danger" href="/account/delete/">Delete account…</a></div></section>`

/** Streams an archive of all data of the account. */
export const downloadAccount = async ({ context }: SignedInRequest): Promise<PageResult> => ({
  file: await exportAccount(context),
  type: 'application/zip',
  name: `${context.actor.username}.zip`,
})

export const confirmDeleteAccount = async (request: SignedInRequest): Promise<PageResult> => deletionPage(request)

function deletionPage(request: SignedInRequest, rejected?: FormErrors): PageResult {
  return request.render(
    {
      title: t('Delete your account?'),
      beforeHeading: backLink('/account/', t('Account')),
      content: html`<section class="card"><p>This deletes your surveys with all responses, and your contacts, invitations, API keys, applications, webhooks and groups. People with whom you shared surveys lose access to them. Surveys that others shared with you are not deleted. You cannot undo this.</p>
<div class="actions"><a class="button plain" href="/account/export/" download>Export your data first</a></div>
${alert(rejected?.general)}<form method="post" action="/account/delete/">${csrfField(request.csrf)}
<input type="hidden" name="username" autocomplete="username" value="${request.context.actor.username}">
${field({ name: 'password', label: t('Your password'), type: 'password', autocomplete: 'current-password', required: true, ...(rejected && { errors: rejected.errors }) })}
<div class="actions"><button class="danger">Delete account</button><a class="button plain" href="/account/">Cancel</a></div></form></section>`,
    },
    rejected ? 422 : 200,
  )
}

/** Deletes the account and shows a confirmation without personal data. */
export async function removeAccount(request: SignedInRequest): Promise<PageResult> {
  const { ctx, context, form } = request
  const origin = { ipAddress: ctx.ip, device: readCookie(ctx, context.services, 'device') }
  try {
    const receipt = await request.write((writing) => deleteAccount(writing, formValue(form, 'password') ?? '', origin))
    setCookie(ctx, context.services, 'session', undefined)
    const counts = {
      [t('Surveys')]: receipt.surveys,
      [t('Responses')]: receipt.responses,
      [t('Contacts')]: receipt.contacts,
      [t('Webhooks')]: receipt.webhooks,
      [t('API keys')]: receipt.apiKeys,
      [t('Applications')]: receipt.applications,
      [t('Groups')]: receipt.groups,
    }
    return {
      page: authPage(
        t('Account deleted'),
        html`<p class="soft">Print or save this page if you need a record. It contains no personal data.</p>
<dl class="facts"><dt>Deleted</dt><dd>${timeTag(receipt.deletedAt)}</dd><dt>Account number</dt><dd>${receipt.accountId}</dd>${Object.entries(counts).map(([what, count]) => html`<dt>${what}</dt><dd>${count.toLocaleString(pageLanguage())}</dd>`)}</dl>`,
      ),
    }
  } catch (error) {
    return deletionPage(request, fieldErrorsOf(request.toProblem(error), ['password']))
  }
}
