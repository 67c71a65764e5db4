import { findSession } from '../../domain/account/session.ts'
import { can } from '../../domain/group/access.ts'
import { accessIn } from '../../domain/survey/queries.ts'
import type { SurveySnapshot } from '../../domain/survey/snapshot.ts'
import { readCookie } from '../cookie.ts'
import type { PageRequest } from '../page.ts'

/** Returns whether the user may take a survey while it is closed: its owner, or a member with the role to test it. */
export async function isTester({ ctx, context }: PageRequest, snapshot: SurveySnapshot): Promise<boolean> {
  const token = readCookie(ctx, context.services, 'session')
  const session = token ? await findSession(context, token) : undefined
  return session !== undefined && can(accessIn(snapshot, session.actor), 'Test')
}
