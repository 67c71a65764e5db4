import { seal, unseal } from '../../lib/secrets.ts'
import { hashPassword } from '../account/password.ts'
import type { Services } from '../services.ts'
import type { ParsedSettings } from './parse-settings.ts'
import { defaultSettings, type SurveySettings } from './settings.ts'

const SEAL_PURPOSE = 'client secret of custom authentication'

/**
 * Returns settings in the form in which they are stored: the password is hashed with Argon2id. The client secret is
 * encrypted and not hashed, because requests to the identity provider need its plain text.
 * @param base the defaults for the settings; for a collector, these are the settings of its survey
 */
export async function protectSecrets<Settings extends Partial<SurveySettings>>(
  { secretKey }: Pick<Services, 'secretKey'>,
  { settings, secrets: { password, clientSecret } }: ParsedSettings<Settings>,
  base: Readonly<SurveySettings> = defaultSettings,
): Promise<Settings> {
  const stored: Settings = { ...settings }
  if (password !== undefined) stored.password_hash = password === null ? null : await hashPassword(password)
  if (clientSecret !== undefined)
    stored.custom_authentication = {
      ...(stored.custom_authentication ?? base.custom_authentication),
      client_secret_encrypted: clientSecret === null ? null : seal(secretKey, SEAL_PURPOSE, clientSecret),
    }
  return stored
}

/** Returns the client secret; undefined when none is set or the secret key of the installation was replaced. */
export const clientSecretOf = (
  { secretKey }: Pick<Services, 'secretKey'>,
  settings: SurveySettings,
): string | undefined => {
  const sealed = settings.custom_authentication.client_secret_encrypted
  return sealed === null ? undefined : unseal(secretKey, SEAL_PURPOSE, sealed)
}
