import { defineEntity, p } from '@mikro-orm/core'
import { TextArray } from '../../lib/postgres-client.ts'
import { AccountSchema } from '../account/account.ts'

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
