import type { IdentityProvider } from './identity-provider.ts'

const escaped = (text: string) => String(new URLSearchParams({ '': text })).slice(1)

/**
 * Returns the header by which we authenticate at an identity system: HTTP Basic (RFC 6749, 2.3.1). Each part is escaped
 * as forms are, which leave `-`, `_` and `.` as they are: a system that forgets to unescape still knows us by our usual name.
 * @returns undefined where the owner has set no client secret
 */
export const clientAuthentication = ({ clientId, clientSecret }: IdentityProvider): string | undefined =>
  clientSecret === undefined
    ? undefined
    : `Basic ${Buffer.from(`${escaped(clientId)}:${escaped(clientSecret)}`).toString('base64')}`
