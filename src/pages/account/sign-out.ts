import { endSessionById } from '../../domain/account/session.ts'
import { setCookie } from '../cookie.ts'
import type { SignedIn } from '../signed-in.ts'
import type { Answer } from '../visit.ts'

/** Ends the session, here and in the database. */
export async function signOut({ ctx, context, session }: SignedIn): Promise<Answer> {
  await endSessionById(context, session.id)
  setCookie(ctx, context.site, 'session', undefined)
  return { redirect: '/accounts/login/' }
}
