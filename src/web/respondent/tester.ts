import { findSession } from '../../domain/account/session.ts'
import { permits } from '../../domain/group/access.ts'
import { accessIn } from '../../domain/survey/queries.ts'
import type { SurveySnapshot } from '../../domain/survey/snapshot.ts'
import { readCookie } from '../cookie.ts'
import type { Visit } from '../page.ts'

/** Whether a visitor is signed in as somebody who may take the survey while it is shut: its owner, or a member who tests it. */
export async function isTester({ ctx, context }: Visit, snapshot: SurveySnapshot): Promise<boolean> {
  const token = readCookie(ctx, context.site, 'session')
  const session = token ? await findSession(context, token) : undefined
  return session !== undefined && permits(accessIn(snapshot, session.actor), 'Test')
}
