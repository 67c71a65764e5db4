import { digest, randomCode } from '../../lib/token.ts'
import { revokeGrants } from '../account/revoke-grants.ts'
import type { Context, PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { Application } from './application.ts'
import { type ApplicationDraft, parseApplicationDraft } from './application-draft.ts'
import { findApplication } from './queries.ts'

/** Letters and digits only: some clients encode everything else before it goes into a Basic header, others do not. */
const ID_LENGTH = 20
const SECRET_LENGTH = 44
/** Applications that one account may register. */
const MAX_APPLICATIONS = 50

/** What is stored of a client secret. */
export const clientSecretHash = ({ services }: PublicContext, secret: string): Buffer =>
  digest(services.secretKey, `oauth client secret ${secret}`)

/**
 * Registers an application of the actor's.
 * @returns the application and its secret (255 bits), readable only in this answer
 * @throws {Problem} `invalid_request` naming each member that is wrong
 */
export async function registerApplication(
  context: Context,
  given: ApplicationDraft,
): Promise<{ application: Application; secret: string }> {
  const { em, actor, now } = context
  const draft = parseApplicationDraft(given)
  if ((await em.count(Application, { owner: actor.id })) >= MAX_APPLICATIONS)
    throw problems.invalidField(
      'name',
      'limit_reached',
      { max: MAX_APPLICATIONS },
      `you already have ${MAX_APPLICATIONS} applications; delete one first`,
    )
  const secret = randomCode(SECRET_LENGTH)
  const application = em.create(Application, {
    ...draft,
    owner: actor.id,
    clientId: randomCode(ID_LENGTH),
    secretHash: clientSecretHash(context, secret),
    createdAt: now,
  })
  await em.flush()
  return { application, secret }
}

/** Says something else of an application. @throws {Problem} `application_not_found`, `invalid_request` */
export async function updateApplication(context: Context, id: number, given: ApplicationDraft): Promise<void> {
  const application = await findApplication(context, id)
  context.em.assign(application, parseApplicationDraft(given))
  await context.em.flush()
}

/** Another secret for an application; the old one works no longer, tokens do. @returns it, readable only in this answer */
export async function rotateClientSecret(context: Context, id: number): Promise<string> {
  const application = await findApplication(context, id)
  const secret = randomCode(SECRET_LENGTH)
  application.secretHash = clientSecretHash(context, secret)
  await context.em.flush()
  return secret
}

/** Deletes an application, and with it every access that anybody gave it. @throws {Problem} `application_not_found` */
export async function deleteApplication(context: Context, id: number): Promise<void> {
  const { em } = context
  const application = await findApplication(context, id)
  await revokeGrants(context, em.getKysely<Tables>().deleteFrom('oauth_grant').where('application_id', '=', id))
  await em.remove(application).flush()
}
