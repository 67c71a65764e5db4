import { cancelEmailChange, confirmEmail, findEmailConfirmation } from '../../../domain/account/email-change.ts'
import { Problem } from '../../../domain/problem.ts'
import { html } from '../../../lib/html.ts'
import { denyFraming } from '../../csp.ts'
import { isSameOrigin } from '../../csrf.ts'
import { formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { authPage } from '../../layout/document.ts'
import type { PageRequest, PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'

const HERE = '/accounts/email/'

const expired = (): PageResult => ({
  status: 410,
  page: authPage(
    t('This link is no longer valid'),
    html`
      <p>
        A confirmation link can be used once and expires after 24 hours. Your account page shows your current email
        address.
      </p>
      <p>To get a new link, sign in and enter the address again.</p>
      <p><a class="button" href="/account/">Go to your account</a></p>`,
  ),
})

const foreignForm = (): PageResult => ({
  status: 403,
  page: authPage(
    t('There is a problem'),
    html`<p>The form was submitted from another site. Open the link in the email instead.</p>`,
  ),
})

/**
 * Shows the confirmation form. Opening the link does not yet confirm the address, because email scanners open links
 * too. Email scanners do not submit forms.
 */
export async function showEmailConfirmation(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const key = request.query.get('key') ?? ''
  const confirmation = await findEmailConfirmation(request.context, key)
  if (!confirmation) return expired()
  return {
    page: authPage(
      t('Confirm your email address'),
      html`
        <p>
          Use <strong>${confirmation.email}</strong> as the email address of the
          account <strong>${confirmation.username}</strong>?
        </p>
        <form method="post" action="${HERE}">
          <input type="hidden" name="key" value="${key}">
          <div class="actions"><button class="primary">Confirm email address</button></div>
        </form>`,
    ),
  }
}

/** Confirms the email address to which the link was sent. */
export async function submitEmailConfirmation(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const { ctx, context } = request
  const key = formValue(await request.form(), 'key') ?? ''
  if (!isSameOrigin(ctx, context.services)) return foreignForm()
  try {
    await context.em.transactional((em) => confirmEmail({ ...context, em }, key))
  } catch (error) {
    if (error instanceof Problem && error.code === 'link_expired') return expired()
    throw error
  }
  return {
    page: authPage(
      t('Email address confirmed'),
      html`
        <p>You can now sign in with this address. We send messages to it.</p>
        <p><a class="button" href="/account/">Go to your account</a></p>`,
    ),
  }
}

/** Discards an email address that is not confirmed yet. */
export async function cancelEmailConfirmation({ write, flash }: SignedInRequest): Promise<PageResult> {
  await write(cancelEmailChange)
  flash(t('Change cancelled. Your email address stays the same.'))
  return { redirect: '/account/' }
}
