import { cancelEmailChange, confirmEmail, findEmailConfirmation } from '../../../domain/account/email-change.ts'
import { Problem } from '../../../domain/problem.ts'
import { html } from '../../../lib/html.ts'
import { isSameOrigin } from '../../same-origin.ts'
import { doorPage } from '../../layout/app-shell.ts'
import { guard, type SignedIn } from '../../session.ts'
import { one } from '../../respondent/input.ts'
import type { Answer, Visit } from '../../page.ts'

const HERE = '/accounts/email/'

const expired = (): Answer => ({
  status: 410,
  page: doorPage(
    'This link has expired',
    html`<p>A link confirms an e-mail address once, within 24 hours. Nothing was changed.</p><p>To get another one, sign in and enter the address again.</p><p><a class="button" href="/account/">Your account</a></p>`,
  ),
})

/** Asks before it confirms: programs that look at links in mail press no buttons. */
export async function showEmailConfirmation(visit: Visit): Promise<Answer> {
  guard(visit)
  const key = visit.query.get('key') ?? ''
  const found = await findEmailConfirmation(visit.context, key)
  if (!found) return expired()
  return {
    page: doorPage(
      'Confirm your e-mail address',
      html`<p>The account <strong>${found.username}</strong> will use <strong>${found.email}</strong>.</p><form method="post" action="${HERE}"><input type="hidden" name="key" value="${key}">
<div class="actions"><button class="primary">Confirm address</button></div></form>`,
    ),
  }
}

/** Confirms the address of a link. */
export async function sendEmailConfirmation(visit: Visit): Promise<Answer> {
  guard(visit)
  const { ctx, context } = visit
  const key = one(await visit.form(), 'key') ?? ''
  if (!isSameOrigin(ctx, context.site)) return expired()
  try {
    await context.em.transactional((em) => confirmEmail({ ...context, em }, key))
  } catch (error) {
    if (error instanceof Problem && error.code === 'link_used') return expired()
    throw error
  }
  return {
    page: doorPage(
      'Your e-mail address is confirmed',
      html`<p>From now on it signs you in, and messages go there.</p><p><a class="button" href="/account/">Your account</a></p>`,
    ),
  }
}

/** Forgets an address that waits to be confirmed. */
export async function cancelEmail({ write, tell }: SignedIn): Promise<Answer> {
  await write(cancelEmailChange)
  tell('Your e-mail address stays as it is.')
  return { redirect: '/account/' }
}
