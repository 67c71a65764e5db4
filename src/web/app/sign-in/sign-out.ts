import { endSessionById } from '../../../domain/account/session.ts'
import { setCookie } from '../../cookie.ts'
import { safePath } from '../../same-origin.ts'
import type { SignedIn } from '../../session.ts'
import { one } from '../../respondent/input.ts'
import type { Answer } from '../../page.ts'

/** Ends the session, here and in the database; where somebody only wants another account, they come back to where they were. */
export async function signOut({ ctx, context, session, form }: SignedIn): Promise<Answer> {
  await endSessionById(context, session.id)
  setCookie(ctx, context.site, 'session', undefined)
  const next = safePath(one(form, 'next'), context.site, '')
  return { redirect: `/accounts/login/${next && `?next=${encodeURIComponent(next)}`}` }
}
