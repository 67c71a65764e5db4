import { cancelEmailChange, confirmEmail, findEmailConfirmation } from '../../../domain/account/email-change.ts'
import { Problem } from '../../../domain/problem.ts'
import { html } from '../../../lib/html.ts'
import { denyFraming } from '../../csp.ts'
import { isSameOrigin } from '../../csrf.ts'
import { formValue } from '../../forms/form-fields.ts'
import { authPage } from '../../layout/auth-layout.ts'
import type { PageRequest, PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'

const HERE = '/accounts/email/'

const expired = (): PageResult => ({
  status: 410,
  page: authPage(
    'This link has expired',
    html`<p>A link confirms an e-mail address once, within 24 hours. Nothing was changed.</p><p>To get another one, sign in and enter the address again.</p><p><a class="button" href="/account/">Your account</a></p>`,
  ),
})

/** Asks before it confirms: programs that look at links in mail press no buttons. */
export async function showEmailConfirmation(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const key = request.query.get('key') ?? ''
  const found = await findEmailConfirmation(request.context, key)
  if (!found) return expired()
  return {
    page: authPage(
      'Confirm your e-mail address',
      html`<p>The account <strong>${found.username}</strong> will use <strong>${found.email}</strong>.</p><form method="post" action="${HERE}"><input type="hidden" name="key" value="${key}">
<div class="actions"><button class="primary">Confirm address</button></div></form>`,
    ),
  }
}

/** Confirms the address of a link. */
export async function submitEmailConfirmation(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const { ctx, context } = request
  const key = formValue(await request.form(), 'key') ?? ''
  if (!isSameOrigin(ctx, context.services)) return expired()
  try {
    await context.em.transactional((em) => confirmEmail({ ...context, em }, key))
  } catch (error) {
    if (error instanceof Problem && error.code === 'link_expired') return expired()
    throw error
  }
  return {
    page: authPage(
      'Your e-mail address is confirmed',
      html`<p>From now on it signs you in, and messages go there.</p><p><a class="button" href="/account/">Your account</a></p>`,
    ),
  }
}

/** Forgets an address that waits to be confirmed. */
export async function cancelEmailConfirmation({ write, flash }: SignedInRequest): Promise<PageResult> {
  await write(cancelEmailChange)
  flash('Your e-mail address stays as it is.')
  return { redirect: '/account/' }
}
