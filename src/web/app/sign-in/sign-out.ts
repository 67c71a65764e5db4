import { endSessionById } from '../../../domain/account/session.ts'
import { setCookie } from '../../cookie.ts'
import { safePath } from '../../csrf.ts'
import { formValue } from '../../forms/form-fields.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'

/**
 * Ends the session and redirects to the sign-in page. If the form contains `next`, as that of “Use another account”
 * does, signing in leads to this path.
 */
export async function signOut({ ctx, context, session, form }: SignedInRequest): Promise<PageResult> {
  await endSessionById(context, session.id)
  setCookie(ctx, context.services, 'session', undefined)
  const next = safePath(formValue(form, 'next'), context.services, '')
  return { redirect: `/accounts/login/${next && `?next=${encodeURIComponent(next)}`}` }
}
