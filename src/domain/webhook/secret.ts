import { seal, unseal } from '../../lib/secrets.ts'
import type { Services } from '../services.ts'

const SEAL_PURPOSE = 'signature of webhooks'
type Keyed = Pick<Services, 'secretKey'>

/** Encrypts a secret for storage. */
export const sealSecret = ({ secretKey }: Keyed, secret: string): string => seal(secretKey, SEAL_PURPOSE, secret)

/** Returns the secrets for signing, newest first. Secrets that were encrypted with another `secretKey` are left out. */
export function signingSecrets(
  { secretKey }: Keyed,
  now: Date,
  webhook: { secret: string; previousSecret: string | null; previousUntil: Date | null },
): string[] {
  const overlaps = webhook.previousSecret !== null && webhook.previousUntil !== null && webhook.previousUntil > now
  return [webhook.secret, ...(overlaps ? [webhook.previousSecret!] : [])]
    .map((sealed) => unseal(secretKey, SEAL_PURPOSE, sealed))
    .filter((secret) => secret !== undefined)
}
