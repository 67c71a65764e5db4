import { OpenIdClient, type OpenIdPerson } from '../../lib/open-id.ts'
import type { SignInProviderSettings } from '../../lib/provider-file.ts'

/** An OpenID provider at which users of the pages sign in (`OIDC_PROVIDERS_FILE`). */
export interface SignInProvider {
  id: string
  name: string
  issuer: string
  client: OpenIdClient
  createsAccounts: boolean
  connectsByEmail: boolean
  /** Returns whether a person may get an account, or be connected to one, because of the domain of the address. */
  allowsDomain(person: OpenIdPerson): boolean
  /** Which groups of the provider give which roles in which group. */
  groups: NonNullable<SignInProviderSettings['groups']>
  /** Returns whether the address belongs to the person. */
  isVerified(person: OpenIdPerson): boolean
}

/** The issuer of Google, where addresses of other domains can belong to a private account. */
const GOOGLE = 'https://accounts.google.com'

/** Creates the providers of the settings. Sends no request. */
export const createSignInProviders = (settings: readonly SignInProviderSettings[]): readonly SignInProvider[] =>
  settings.map(
    ({
      id,
      name,
      issuer,
      client_id: clientId,
      client_secret: clientSecret,
      scope = 'openid email profile',
      create_accounts = false,
      domains,
      connect_by_email = false,
      trust_email = false,
      groups = [],
      groups_claim = 'groups',
    }) => {
      const allowed = domains && new Set(domains.map((domain) => domain.trim().toLowerCase()))
      return {
        id,
        name,
        issuer,
        client: new OpenIdClient({
          ...{ issuer, clientId, clientSecret, scope },
          ...(groups.length > 0 && { groupsClaim: groups_claim }),
        }),
        groups,
        createsAccounts: create_accounts,
        connectsByEmail: connect_by_email,
        allowsDomain: ({ email, hostedDomain }) =>
          !allowed ||
          (allowed.has(email.slice(email.lastIndexOf('@') + 1).toLowerCase()) &&
            (issuer !== GOOGLE || allowed.has(hostedDomain ?? ''))),
        isVerified: ({ email, emailVerified }) => email !== '' && (emailVerified || trust_email),
      }
    },
  )
