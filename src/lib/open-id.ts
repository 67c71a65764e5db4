import type * as oauth from 'oauth4webapi'

/** How this service is known at an OpenID provider. */
export interface OpenIdClientSettings {
  /** The identifier of the provider: an HTTPS URL, or an HTTP URL of the same machine. */
  issuer: string
  clientId: string
  /** Undefined for a public client. */
  clientSecret: string | undefined
  /** Scopes, separated by spaces. */
  scope: string
  /** The claim with the groups of the person; absent: they are not read. */
  groupsClaim?: string | undefined
}

/** The random values of a sign-in that has begun. The callback needs them. */
export interface PendingOpenIdSignIn {
  state: string
  nonce: string
  /** The code verifier of PKCE (RFC 7636). */
  verifier: string
}

/** What a provider says about the person who signed in. */
export interface OpenIdPerson {
  issuer: string
  /** Identifies the person at the issuer, for ever. */
  subject: string
  /** The session at the provider (`sid`); undefined if it sends none. */
  session: string | undefined
  /** Empty if the provider sends none. */
  email: string
  /** Whether the provider says that the address belongs to the person. */
  emailVerified: boolean
  name: string
  /** The domain of the organisation at Google (`hd`). */
  hostedDomain: string | undefined
  idToken: string
  /** The groups of the person; undefined: the provider does not say. */
  groups: readonly string[] | undefined
  /** The names of all claims, for the log. */
  claims: readonly string[]
}

/** What a provider says about a person who has signed out there. At least one of `subject` and `session` is given. */
export interface LogoutToken {
  /** Identifies the token at the issuer. */
  tokenId: string
  subject: string | undefined
  session: string | undefined
  /** For how long the token can be valid, in milliseconds. */
  validMs: number
}

/** `unavailable`: a later attempt can succeed. `denied`: the provider refused. `invalid`: the reply or the settings are wrong. */
export type OpenIdFailure = 'unavailable' | 'denied' | 'invalid'

/** An error of an OpenID provider. The message is for the operator. */
export class OpenIdError extends Error {
  override name = 'OpenIdError'
  readonly kind: OpenIdFailure

  constructor(kind: OpenIdFailure, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

type Library = typeof oauth
type Server = oauth.AuthorizationServer
type Keys = ReturnType<typeof import('jose').createRemoteJWKSet>

const TIMEOUT_MS = 5_000
/** The metadata of a provider is read again after this time. */
const METADATA_MS = 3_600_000
/** Difference between the clocks of this server and the provider. */
const CLOCK_TOLERANCE_SECONDS = 60
/** A sign-in that must be new happened within this time. */
const FRESH_SECONDS = 120

/**
 * A client of one OpenID provider (OpenID Connect Core 1.0: code flow with PKCE). Reads the metadata of the provider when
 * it is first needed, so a provider that is down does not keep the server from starting.
 */
export class OpenIdClient {
  readonly #settings: OpenIdClientSettings
  #metadata: { server: Promise<Server>; until: number } | undefined
  #keys: { address: string; keys: Keys } | undefined

  constructor(settings: OpenIdClientSettings) {
    this.#settings = settings
  }

  /**
   * Returns the address at which the person signs in, and the values to keep for {@link complete}.
   * @param fresh whether the person must sign in again although the provider knows them
   * @throws {OpenIdError}
   */
  begin(redirectUri: string, fresh = false): Promise<PendingOpenIdSignIn & { address: string }> {
    return this.#with(async (library, server) => {
      const state = library.generateRandomState()
      const nonce = library.generateRandomNonce()
      const verifier = library.generateRandomCodeVerifier()
      const address = new URL(server.authorization_endpoint ?? fail('invalid', 'has no authorization_endpoint'))
      const parameters = {
        response_type: 'code',
        client_id: this.#settings.clientId,
        redirect_uri: redirectUri,
        scope: this.#settings.scope,
        state,
        nonce,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(fresh && { max_age: '0' }),
      }
      for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
      return { address: address.href, state, nonce, verifier }
    })
  }

  /**
   * Exchanges the code of a callback for an ID token, and verifies it.
   * @param query the parameters of the callback
   * @param fresh as for {@link begin}
   * @throws {OpenIdError}
   */
  complete(
    redirectUri: string,
    query: URLSearchParams,
    { state, nonce, verifier }: PendingOpenIdSignIn,
    fresh = false,
  ): Promise<OpenIdPerson> {
    return this.#with(async (library, server) => {
      const client = { client_id: this.#settings.clientId, [library.clockTolerance]: CLOCK_TOLERANCE_SECONDS }
      const options = this.#options(library)
      const reply = await library.authorizationCodeGrantRequest(
        server,
        client,
        this.#authentication(library, server),
        library.validateAuthResponse(server, client, query, state),
        redirectUri,
        verifier,
        options,
      )
      const tokens = await library.processAuthorizationCodeResponse(server, client, reply, {
        expectedNonce: nonce,
        requireIdToken: true,
        ...(fresh && { maxAge: FRESH_SECONDS }),
      })
      await library.validateApplicationLevelSignature(server, reply, options)
      const claims = library.getValidatedIdTokenClaims(tokens)!
      const { groupsClaim } = this.#settings
      const isPartial = claims.email === undefined || (groupsClaim !== undefined && !Object.hasOwn(claims, groupsClaim))
      const info =
        isPartial && server.userinfo_endpoint
          ? await library.processUserInfoResponse(
              server,
              client,
              claims.sub,
              await library.userInfoRequest(server, client, tokens.access_token, options),
            )
          : {}
      return personOf({ ...info, ...claims }, tokens.id_token!, groupsClaim)
    })
  }

  /**
   * Returns the address that ends the session at the provider (OpenID Connect RP-Initiated Logout 1.0).
   * @returns undefined if the provider has none, or does not reply
   */
  async endSessionAddress(idToken: string, returnTo: string): Promise<string | undefined> {
    const server = await this.#with(async (_, server) => server).catch(() => undefined)
    if (!server?.end_session_endpoint) return undefined
    const address = new URL(server.end_session_endpoint)
    address.searchParams.set('id_token_hint', idToken)
    address.searchParams.set('client_id', this.#settings.clientId)
    address.searchParams.set('post_logout_redirect_uri', returnTo)
    return address.href
  }

  /**
   * Verifies a logout token (OpenID Connect Back-Channel Logout 1.0, 2.6). Whether it has been used before is for the
   * caller to find out.
   * @throws {OpenIdError}
   */
  verifyLogoutToken(token: string): Promise<LogoutToken> {
    return this.#with(async (_, server) => {
      const { createRemoteJWKSet, errors, jwtVerify } = await import('jose')
      const address = server.jwks_uri ?? fail('invalid', 'has no jwks_uri')
      // A key that is not found is looked up again every 30 seconds at most.
      if (this.#keys?.address !== address)
        this.#keys = { address, keys: createRemoteJWKSet(new URL(address), { timeoutDuration: TIMEOUT_MS }) }
      try {
        const { payload } = await jwtVerify(token, this.#keys.keys, {
          issuer: server.issuer,
          audience: this.#settings.clientId,
          algorithms: SIGNATURE_ALGORITHMS,
          requiredClaims: ['iat', 'jti'],
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
          maxTokenAge: MAX_LOGOUT_TOKEN_SECONDS,
        })
        return logoutTokenOf(payload)
      } catch (error) {
        const isAbsent = error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError)
        if (isAbsent || error instanceof OpenIdError) throw error
        throw new OpenIdError('invalid', oneLine(`the logout token is not valid: ${error.message}`), error)
      }
    })
  }

  /**
   * Reads the metadata of the provider.
   * @throws {OpenIdError}
   */
  async check(): Promise<void> {
    await this.#with(async () => undefined)
  }

  async #with<Result>(run: (library: Library, server: Server) => Promise<Result>): Promise<Result> {
    const library = await import('oauth4webapi')
    try {
      return await run(library, await this.#server(library))
    } catch (error) {
      throw toOpenIdError(library, error)
    }
  }

  #server(library: Library): Promise<Server> {
    if (this.#metadata && this.#metadata.until > Date.now()) return this.#metadata.server
    const issuer = new URL(this.#settings.issuer)
    const metadata = {
      server: library
        .discoveryRequest(issuer, this.#options(library))
        .then((reply) => library.processDiscoveryResponse(issuer, reply)),
      until: Date.now() + METADATA_MS,
    }
    // A failure is not kept.
    metadata.server.catch(() => {
      if (this.#metadata === metadata) this.#metadata = undefined
    })
    this.#metadata = metadata
    return metadata.server
  }

  #options(library: Library) {
    return {
      signal: () => AbortSignal.timeout(TIMEOUT_MS),
      [library.allowInsecureRequests]: this.#settings.issuer.startsWith('http:'),
    }
  }

  /** Prefers HTTP Basic, which every provider must support unless its metadata say otherwise. */
  #authentication(library: Library, { token_endpoint_auth_methods_supported: methods }: Server): oauth.ClientAuth {
    const { clientSecret } = this.#settings
    if (clientSecret === undefined) return library.None()
    const usesPost = methods?.includes('client_secret_post') && !methods.includes('client_secret_basic')
    return usesPost ? library.ClientSecretPost(clientSecret) : library.ClientSecretBasic(clientSecret)
  }
}

/** Signatures with a key of the provider. `none` and those with the secret of the client prove nothing here. */
const SIGNATURE_ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
/** A logout token is accepted for this time after it was issued, whatever its `exp`. */
const MAX_LOGOUT_TOKEN_SECONDS = 300
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** Reads the claims of a logout token whose signature, issuer, audience and age are right. */
function logoutTokenOf({ jti, sub, sid, events, nonce }: Readonly<Record<string, unknown>>): LogoutToken {
  const textOf = (name: string, value: unknown): string | undefined => {
    if (value === undefined || (typeof value === 'string' && value !== '')) return value
    return fail('invalid', `the logout token is not valid: “${name}” must be a text`)
  }
  const [tokenId, subject, session] = [textOf('jti', jti)!, textOf('sub', sub), textOf('sid', sid)]
  const event = (events as Record<string, unknown> | null | undefined)?.[LOGOUT_EVENT]
  if (typeof event !== 'object' || event === null) fail('invalid', `the logout token lacks the event ${LOGOUT_EVENT}`)
  // An ID token has a nonce; it must not be used as a logout token.
  if (nonce !== undefined) fail('invalid', 'the logout token has a nonce')
  if (subject === undefined && session === undefined) fail('invalid', 'the logout token has neither “sub” nor “sid”')
  return { tokenId, subject, session, validMs: (MAX_LOGOUT_TOKEN_SECONDS + 2 * CLOCK_TOLERANCE_SECONDS) * 1000 }
}

const fail = (kind: OpenIdFailure, message: string): never => {
  throw new OpenIdError(kind, message)
}

function personOf(
  claims: oauth.IDToken | oauth.UserInfoResponse,
  idToken: string,
  groupsClaim: string | undefined,
): OpenIdPerson {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '')
  // Entra sends xms_edov instead of email_verified.
  const verified = claims.email_verified ?? claims.xms_edov
  return {
    issuer: text(claims.iss),
    subject: claims.sub,
    session: text(claims.sid) || undefined,
    email: text(claims.email).trim(),
    emailVerified: [true, 'true', 1, '1'].includes(verified as string),
    name: text(claims.name).trim(),
    hostedDomain: text(claims.hd) || undefined,
    idToken,
    groups: groupsClaim === undefined ? undefined : groupsOf(claims[groupsClaim]),
    claims: Object.keys(claims).sort(),
  }
}

/** Maximum number of groups that are read. */
const MAX_GROUPS = 1_000

/** Returns the groups of a claim; undefined if it is not a list of texts. Entra leaves the claim out if it is long. */
function groupsOf(claim: unknown): readonly string[] | undefined {
  const list = typeof claim === 'string' ? [claim] : claim
  if (!Array.isArray(list) || list.length > MAX_GROUPS) return undefined
  return list.every((name) => typeof name === 'string') ? list : undefined
}

const SERVER_ERROR = 500

function toOpenIdError(library: Library, error: unknown): OpenIdError {
  if (error instanceof OpenIdError) return error
  if (error instanceof library.AuthorizationResponseError || error instanceof library.ResponseBodyError) {
    const status = error instanceof library.ResponseBodyError ? error.status : 0
    const kind =
      status >= SERVER_ERROR || error.error === 'temporarily_unavailable' || error.error === 'server_error'
        ? 'unavailable'
        : status
          ? 'invalid'
          : 'denied'
    const text = error.error_description ? `${error.error}: ${error.error_description}` : error.error
    return new OpenIdError(kind, oneLine(`the reply is the error ${text}`), error)
  }
  const reply = (error as { cause?: unknown }).cause
  if (reply instanceof Response)
    return new OpenIdError(
      reply.status >= SERVER_ERROR ? 'unavailable' : 'invalid',
      oneLine(`${new URL(reply.url).pathname} has replied with ${reply.status}: ${(error as Error).message}`),
      error,
    )
  if (error instanceof library.OperationProcessingError || error instanceof library.UnsupportedOperationError)
    return new OpenIdError('invalid', oneLine(error.message), error)
  const { message, cause } = error as Error
  return new OpenIdError('unavailable', oneLine((cause as Error | undefined)?.message || message), error)
}

const MAX_REASON_CHARACTERS = 300
const oneLine = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, MAX_REASON_CHARACTERS)
