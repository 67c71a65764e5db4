import { findSession } from '../../domain/account/session.ts'
import { can } from '../../domain/group/access.ts'
import { accessIn } from '../../domain/survey/queries.ts'
import type { SurveySnapshot } from '../../domain/survey/snapshot.ts'
import { readCookie } from '../cookie.ts'
import type { PageRequest } from '../page.ts'

/** Returns whether the visitor may take a survey while it is closed. The owner and members with the Test role may. */
export async function isTester({ ctx, context }: PageRequest, snapshot: SurveySnapshot): Promise<boolean> {
  const token = readCookie(ctx, context.services, 'session')
  const session = token ? await findSession(context, token) : undefined
  return session !== undefined && can(accessIn(snapshot, session.actor), 'Test')
}
