import type { IdentityProvider } from './identity-provider.ts'

const formEncoded = (text: string) => String(new URLSearchParams({ '': text })).slice(1)

/**
 * Returns the Authorization header for requests to an identity provider: HTTP Basic (RFC 6749, 2.3.1). Form encoding
 * leaves `-`, `_` and `.` unescaped, so providers that do not decode the header still recognise the usual client ids.
 * @returns undefined when no client secret is set
 */
export const clientAuthentication = ({ clientId, clientSecret }: IdentityProvider): string | undefined =>
  clientSecret === undefined
    ? undefined
    : `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64')}`
