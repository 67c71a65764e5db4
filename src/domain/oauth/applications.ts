import { defineEntity, p } from '@mikro-orm/core'
import { TextArray } from '../../lib/postgres-client.ts'
import { digest, randomCode } from '../../lib/secrets.ts'
import { AccountSchema } from '../account/account.ts'
import { revokeGrants } from '../account/session.ts'
import type { Context, PublicContext } from '../context.ts'
import { detail } from '../error-details.ts'
import { type FieldError, fieldError, type ValueError, valueError } from '../field-error.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'

export const ApplicationSchema = defineEntity({
  name: 'Application',
  tableName: 'oauth_application',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    /** The account that registered the application. */
    owner: () => p.manyToOne(AccountSchema).ref().deleteRule('cascade').index(),
    clientId: p.text().unique('oauth_application_client_id_key'),
    /** HMAC-SHA256 of the client secret with the secret key of the installation. */
    secretHash: p.blob().lazy(),
    name: p.text(),
    homepage: p.text(),
    /** The first redirect URI. */
    callback: p.text(),
    /** The other redirect URIs. */
    moreCallbacks: p.type(TextArray).$type<string[]>().default([]),
    /** Whether the application has no secret (RFC 6749, 2.1). Such an application must use PKCE. Never changes. */
    isPublic: p.boolean().default(false),
    description: p.text().default(''),
    createdAt: p.datetime(),
  },
})

/** A third-party application that acts on behalf of users who authorized it (docs/specification.md 3.3). */
export class Application extends ApplicationSchema.class {}
ApplicationSchema.setClass(Application)

/** Returns the registered redirect URIs. */
export const callbacksOf = ({ callback, moreCallbacks }: Pick<Application, 'callback' | 'moreCallbacks'>): string[] => [
  callback,
  ...moreCallbacks,
]

/** The port of a loopback address, for which a system chooses a free port (RFC 8252, 7.3). */
const LOOPBACK_PORT = /^(http:\/\/(?:127\.0\.0\.1|\[::1\])):\d{1,5}(?=[/?]|$)/

/**
 * Returns whether a requested redirect URI is registered. It must equal a registered URI, except for the port of
 * `127.0.0.1` and `[::1]`.
 */
export function isRegistered(application: Application, redirectUri: string): boolean {
  const withoutPort = (uri: string) => uri.replace(LOOPBACK_PORT, '$1')
  return (
    URL.canParse(redirectUri) && callbacksOf(application).some((uri) => withoutPort(uri) === withoutPort(redirectUri))
  )
}

/** The registration data of an application. */
export interface ApplicationDraft {
  name: string
  homepage: string
  /** The redirect URIs, one per line. */
  callback: string
  description: string
}

/** An application that has no secret (RFC 6749, 2.1), or one that keeps a secret. */
export type ApplicationKind = 'public' | 'confidential'

const MAX_CALLBACKS = 10
const MAX_CHARACTERS = { name: 100, homepage: 2000, callback: 2000, description: 300 } as const
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Returns an HTTP URL without credentials; undefined for any other text. */
const webAddress = (text: string): URL | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password ? url : undefined
}

/**
 * Checks a redirect URI. It must be absolute and have no fragment (RFC 6749, 3.1.2). It must use HTTPS unless its host
 * is the local computer, because it transports the code (RFC 9700, 4.1.3).
 */
function checkCallback(text: string): ValueError | undefined {
  const invalid = (message: string) => valueError('invalid_url', {}, message)
  const url = webAddress(text)
  if (!url) return invalid('must start with https:// and must not contain a username or a password')
  if (text.includes('#')) return invalid('must not have a fragment (#)')
  if (url.protocol === 'http:' && !LOOPBACK_HOST.test(url.hostname))
    return invalid('must start with https:// (http:// for localhost only)')
  // Redirect URIs are compared as strings, so a URI is accepted only in the form in which programs send it.
  if (/[^\x21-\x7e]/.test(text)) return invalid('must consist of ASCII characters without spaces')
  if (text.includes('\\')) return invalid('must not contain a backslash')
  // The Content-Security-Policy of the consent page contains the host, and `;` and `*` have a special meaning there.
  if (!/^(?:[a-z\d._-]+|\[[\da-f:.]+\])$/.test(url.hostname)) return invalid('must have a host name')
  return undefined
}

/** The first invalid redirect URI of a list is reported, with its text if there are several. */
function checkCallbacks(callbacks: readonly string[]): ValueError | undefined {
  if (callbacks.length > MAX_CALLBACKS) return valueError('too_many', { max: MAX_CALLBACKS })
  for (const callback of callbacks) {
    const error = checkCallback(callback)
    if (error) return callbacks.length === 1 ? error : { ...error, message: `${error.message}: ${callback}` }
  }
  return undefined
}

/** The valid details of an application. */
interface ApplicationDetails extends ApplicationDraft {
  /** The first redirect URI. */
  callback: string
  moreCallbacks: string[]
}

/**
 * Returns the details of an application without surrounding white space.
 * @throws {Problem} `invalid_request` naming each invalid field
 */
function parseApplicationDraft(input: ApplicationDraft): ApplicationDetails {
  const draft = {
    name: input.name.trim(),
    homepage: input.homepage.trim(),
    callback: input.callback.trim(),
    description: input.description.trim(),
  }
  const errors: FieldError[] = []
  for (const field of ['name', 'homepage', 'callback', 'description'] as const) {
    if (draft[field].length > MAX_CHARACTERS[field])
      errors.push(fieldError(field, 'too_long', { max: MAX_CHARACTERS[field] }))
    else if (draft[field] === '' && field !== 'description') errors.push(fieldError(field, 'required'))
  }
  const invalidFields = new Set(errors.map(({ field }) => field))
  if (!invalidFields.has('homepage') && !webAddress(draft.homepage))
    errors.push(
      fieldError(
        'homepage',
        'invalid_url',
        {},
        'must start with https:// or http:// and must not contain a username or a password',
      ),
    )
  const [callback = '', ...moreCallbacks] = new Set(draft.callback.split(/\s*[\r\n]\s*/))
  const callbackError = invalidFields.has('callback') ? undefined : checkCallbacks([callback, ...moreCallbacks])
  if (callbackError) errors.push({ field: 'callback', ...callbackError })
  if (errors.length > 0) throw problems.invalid(errors)
  return { ...draft, callback, moreCallbacks }
}

/** Returns the applications that the actor registered, newest first. */
export const listApplications = ({ em, actor }: Context): Promise<Application[]> =>
  em.find(Application, { owner: actor.id }, { orderBy: { id: 'desc' } })

/**
 * Returns an application that the actor registered.
 * @throws {Problem} `application_not_found`
 */
export const findApplication = ({ em, actor }: Context, id: number): Promise<Application> =>
  em.findOneOrFail(Application, { id, owner: actor.id }, { failHandler: problems.applicationNotFound })

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
