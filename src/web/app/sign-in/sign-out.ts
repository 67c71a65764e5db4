import { endSessionById } from '../../../domain/account/session.ts'
import { setCookie } from '../../cookie.ts'
import { safePath } from '../../csrf.ts'
import { formValue } from '../../forms/form-fields.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'

/**
 * Ends the session and redirects to the sign-in page. If the submitted form contains the path `next`, users get to this
 * path after they sign in again. The form of “Use another account” contains `next`.
 */
export async function signOut({ ctx, context, session, form }: SignedInRequest): Promise<PageResult> {
  await endSessionById(context, session.id)
  setCookie(ctx, context.services, 'session', undefined)
  const next = safePath(formValue(form, 'next'), context.services, '')
  return { redirect: `/accounts/login/${next && `?next=${encodeURIComponent(next)}`}` }
}
