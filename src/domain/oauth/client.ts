import { timingSafeEqual } from 'node:crypto'
import { throttled } from '../account/login-throttle.ts'
import type { PublicContext } from '../context.ts'
import { Application } from './application.ts'
import { clientSecretHash } from './commands.ts'

/** The format of client ids. */
const CLIENT_ID = /^[A-Za-z0-9]{1,64}$/

/** Returns the application with a client id; null if there is none. */
export const findClient = async ({ em }: PublicContext, clientId: string): Promise<Application | null> =>
  CLIENT_ID.test(clientId) ? em.findOne(Application, { clientId }, { populate: ['secretHash'] }) : null

/**
 * Authenticates an application by its client id and secret. A public application has no secret, and identifies itself by
 * its client id alone. After ten consecutive wrong secrets, further wrong secrets are blocked for a while. A correct
 * secret always succeeds, because it has 255 bits and an application may send many requests at the same time.
 * @returns undefined for a missing or wrong secret
 * @throws {Problem} `too_many_attempts`
 */
export async function authenticateClient(
  context: PublicContext,
  { clientId, secret }: { clientId: string; secret: string | undefined },
  ipAddress: string,
): Promise<Application | undefined> {
  const application = await findClient(context, clientId)
  if (secret === undefined) return application?.isPublic ? application : undefined
  const hash = clientSecretHash(context, secret)
  if (application && !application.isPublic && timingSafeEqual(hash, application.secretHash)) return application
  await throttled(context, `oauth client ${clientId}`, { ipAddress }, async () => undefined)
  return undefined
}
