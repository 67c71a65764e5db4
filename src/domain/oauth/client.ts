import { timingSafeEqual } from 'node:crypto'
import { throttled } from '../account/login-throttle.ts'
import type { PublicContext } from '../context.ts'
import { Application } from './application.ts'
import { clientSecretHash } from './commands.ts'

/** What a client id looks like; the database is not asked about anything else. */
const CLIENT_ID = /^[A-Za-z0-9]{1,64}$/

/** The application that goes by a client id. */
export const findClient = async ({ em }: PublicContext, clientId: string): Promise<Application | null> =>
  CLIENT_ID.test(clientId) ? em.findOne(Application, { clientId }, { populate: ['secretHash'] }) : null

/**
 * The application that a client id and its secret belong to. Wrong secrets are counted, and after ten in a row refused
 * unread. A right one is never held up: 255 bits are not guessed, and an application may ask for many people at once.
 * @param ipAddress where the request comes from
 * @throws {Problem} `too_many_attempts`
 */
export async function authenticateClient(
  context: PublicContext,
  { clientId, secret }: { clientId: string; secret: string },
  ipAddress: string,
): Promise<Application | undefined> {
  const found = await findClient(context, clientId)
  const given = clientSecretHash(context, secret)
  if (found && timingSafeEqual(given, found.secretHash)) return found
  await throttled(context, `oauth client ${clientId}`, { ipAddress }, async () => undefined)
  return undefined
}
