import { digest, randomCode } from '../../lib/secrets.ts'
import { revokeGrants } from '../account/session.ts'
import type { Context, PublicContext } from '../context.ts'
import { detail } from '../error-details.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { Application } from './application.ts'
import { type ApplicationDraft, type ApplicationKind, parseApplicationDraft } from './application-draft.ts'
import { findApplication } from './queries.ts'

/**
 * Length of a client id. Client ids and secrets contain only letters and digits, because clients encode other
 * characters of a Basic header in different ways.
 */
const ID_LENGTH = 20
const SECRET_LENGTH = 44
/** Maximum number of applications per account. */
const MAX_APPLICATIONS = 50

/** Computes the hash of a client secret, in the form in which it is stored. */
export const clientSecretHash = ({ services }: PublicContext, secret: string): Buffer =>
  digest(services.secretKey, `oauth client secret ${secret}`)

/**
 * Registers an application of the actor.
 * @returns the application and its secret of 255 bits, which cannot be read again. A public application has no secret
 * @throws {Problem} `invalid_request` with one error per invalid field
 */
export async function registerApplication(
  context: Context,
  input: ApplicationDraft,
  kind: ApplicationKind,
): Promise<{ application: Application; secret: string | undefined }> {
  const { em, actor, now } = context
  const draft = parseApplicationDraft(input)
  if ((await em.count(Application, { owner: actor.id })) >= MAX_APPLICATIONS)
    throw problems.invalidField(
      'name',
      'limit_reached',
      { max: MAX_APPLICATIONS },
      detail('first_applications', { max: MAX_APPLICATIONS }),
    )
  const secret = randomCode(SECRET_LENGTH)
  const application = em.create(Application, {
    ...draft,
    owner: actor.id,
    clientId: randomCode(ID_LENGTH),
    secretHash: clientSecretHash(context, secret),
    isPublic: kind === 'public',
    createdAt: now,
  })
  await em.flush()
  return { application, secret: kind === 'public' ? undefined : secret }
}

/**
 * Updates the registration of an application.
 * @throws {Problem} `application_not_found`, `invalid_request`
 */
export async function updateApplication(context: Context, id: number, input: ApplicationDraft): Promise<void> {
  const application = await findApplication(context, id)
  context.em.assign(application, parseApplicationDraft(input))
  await context.em.flush()
}

/**
 * Replaces the secret of an application. The old secret becomes invalid. Tokens stay valid.
 * @returns the new secret, which cannot be read again
 * @throws {Problem} `application_not_found`, also for a public application
 */
export async function rotateClientSecret(context: Context, id: number): Promise<string> {
  const application = await findApplication(context, id)
  if (application.isPublic) throw problems.applicationNotFound()
  const secret = randomCode(SECRET_LENGTH)
  application.secretHash = clientSecretHash(context, secret)
  await context.em.flush()
  return secret
}

/**
 * Deletes an application and revokes all access that users granted to it.
 * @throws {Problem} `application_not_found`
 */
export async function deleteApplication(context: Context, id: number): Promise<void> {
  const { em } = context
  const application = await findApplication(context, id)
  await revokeGrants(context, em.getKysely<Tables>().deleteFrom('oauth_grant').where('application_id', '=', id))
  await em.remove(application).flush()
}
