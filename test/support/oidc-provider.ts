import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from '@jest/globals'

/** A token of the library. */
interface Token {
  grantId: string
  destroy(): Promise<void>
}

/** The part of the library (oidc-provider, without types of its own) that is used here. */
interface Provider {
  callback(): RequestListener
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  Grant: new (fields: {
    clientId: string
    accountId: string
  }) => { addOIDCScope(scope: string): void; save(): Promise<string> }
  /** In the library's store in memory, this revokes all tokens of a grant. */
  RefreshToken: { revokeByGrantId(grantId: string): Promise<void> }
  on(event: 'grant.success', listener: (context: GrantContext) => void): void
}
interface GrantContext {
  oidc: { entities: { AccessToken: Token }; params: { grant_type: string } }
}

/**
 * An OpenID provider of another project, with a gateway in front of it as docs/custom-authentication.md describes one. Its
 * person is signed in without a page, and no consent is asked.
 */
export interface OidcProvider {
  readonly endpoint: string
  /** Of the client `survey-service`. A test can change it. */
  clientSecret: string
  /** The redirect URIs of the client. Add them before the first request. */
  redirectUris: string[]
  /** The address of the back-channel logout of the client; absent: it has none. Set it before the first request. */
  logoutUri?: string
  /** The key with which the provider signs. */
  key: KeyObject
  /** The scopes that the client may use. */
  scope: string
  /** The person who is signed in, as the provider describes them. */
  person: { sub: string; email?: string; email_verified?: boolean; name?: string; groups?: unknown }
  /** Whether the provider is reachable. */
  isUp: boolean
  issuesRefreshTokens: boolean
  /** The grant types of the successful token requests so far. */
  grants: string[]
  /** Revokes the access tokens, and with `all` the refresh tokens too, as when a person signs out everywhere. */
  revoke(all: boolean): Promise<void>
}

/** Starts a provider. Call it at the top of a test file. */
export function useOidcProvider(): OidcProvider {
  const tokens: Token[] = []
  let server: Server
  let started: Promise<Provider> | undefined
  const oidc: OidcProvider = {
    get endpoint() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    clientSecret: 'aSecretOfLettersAndDigits0123456',
    redirectUris: [],
    key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
    scope: 'openid',
    person: { sub: 'ann' },
    isUp: true,
    issuesRefreshTokens: true,
    grants: [],
    async revoke(all) {
      const provider = await started!
      for (const token of tokens.splice(0)) {
        await token.destroy()
        if (all) await provider.RefreshToken.revokeByGrantId(token.grantId)
      }
    },
  }

  async function start(): Promise<Provider> {
    const name = 'oidc-provider'
    const { default: Library } = (await import(name)) as {
      default: new (issuer: string, configuration: object) => Provider
    }
    const provider = new Library(oidc.endpoint, {
      clients: [
        {
          client_id: 'survey-service',
          client_secret: oidc.clientSecret,
          redirect_uris: oidc.redirectUris,
          grant_types: ['authorization_code', 'refresh_token'],
          ...(oidc.logoutUri && {
            backchannel_logout_uri: oidc.logoutUri,
            backchannel_logout_session_required: true,
          }),
        },
      ],
      scopes: ['openid', 'offline_access', 'email', 'profile', 'groups'],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
      pkce: { required: () => true },
      cookies: { keys: ['a key for the cookies of this test'] },
      // The library's own one refuses the addresses of this machine.
      fetch: (url: string, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown }) =>
        fetch(url, options),
      features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      jwks: { keys: [oidc.key.export({ format: 'jwk' })] },
      // The library warns about each lifetime that is not set.
      ttl: { AccessToken: 3600, Grant: 3600, IdToken: 3600, Interaction: 3600, RefreshToken: 3600, Session: 3600 },
      issueRefreshToken: () => oidc.issuesRefreshTokens,
      findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ ...oidc.person, sub: id }) }),
      loadExistingGrant: async () => {
        const grant = new provider.Grant({ clientId: 'survey-service', accountId: oidc.person.sub })
        grant.addOIDCScope(oidc.scope)
        await grant.save()
        return grant
      },
    })
    provider.on('grant.success', ({ oidc: { entities, params } }) => {
      tokens.push(entities.AccessToken)
      oidc.grants.push(params.grant_type)
    })
    return provider
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!oidc.isUp) return void response.writeHead(503).end()
    started ??= start()
    const provider = await started
    const { pathname, search } = new URL(request.url!, oidc.endpoint)
    if (pathname === '/authorization')
      return void response.writeHead(302, { location: `${oidc.endpoint}/auth${search}` }).end()
    if (pathname.startsWith('/interaction/'))
      return provider.interactionFinished(request, response, { login: { accountId: oidc.person.sub } })
    if (pathname === '/callback') {
      if (!/^bearer /i.test(request.headers.authorization ?? '')) return void response.writeHead(401).end()
      Object.assign(request, { method: 'GET', url: '/me' })
      delete request.headers['content-type']
    }
    provider.callback()(request, response)
  }

  beforeAll(async () => {
    server = createServer((request, response) => void serve(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return oidc
}
