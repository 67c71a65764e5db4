import type { InspectedConfig } from '../../config.ts'
import { assertGroupRoles } from '../../domain/single-sign-on/groups.ts'
import { createSignInProviders } from '../../domain/single-sign-on/provider.ts'
import type { Findings } from './finding.ts'

/** Checks that the OpenID providers of the sign-in reply with their metadata. */
export async function checkSignIn({ signIn, baseUrl }: InspectedConfig, found: Findings): Promise<void> {
  if (!signIn.providers.length)
    return found.ok('providers', 'users sign in with a password (OIDC_PROVIDERS_FILE is not set)')
  const providers = createSignInProviders(signIn.providers)
  try {
    assertGroupRoles(providers)
  } catch (error) {
    found.explained('groups', (error as Error).message, 'Correct the names of the roles.')
  }
  for (const { id, issuer, client } of providers)
    try {
      await client.check()
      found.ok(
        'providers',
        `${issuer} replies; its client must have the address ${baseUrl}/accounts/sign-in/${id}/callback/, and for the back-channel logout ${baseUrl}/accounts/sign-in/${id}/logout/`,
      )
    } catch (error) {
      found.error(
        'providers',
        `The OpenID provider ${id} does not reply as it should: ${(error as Error).message}.`,
        `Open ${issuer.replace(/\/$/, '')}/.well-known/openid-configuration. Its “issuer” must be exactly that of OIDC_PROVIDERS_FILE.`,
      )
    }
}
