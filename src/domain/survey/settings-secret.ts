import { seal, unseal } from '../../lib/seal.ts'
import { hashPassword } from '../account/password.ts'
import type { Services } from '../services.ts'
import type { ParsedSettings } from './parse-settings.ts'
import { defaultSettings, type SurveySettings } from './settings.ts'

const SEAL_PURPOSE = 'client secret of custom authentication'

/**
 * Settings as they may be kept: a password hashed (Argon2id), for it is only ever compared; a client secret sealed,
 * for it is sent on. The input is the result of `parseSettings`.
 * @param base what holds where the settings say nothing: for a collector the settings of its survey
 */
export async function protectSecrets<Settings extends Partial<SurveySettings>>(
  { secretKey }: Pick<Services, 'secretKey'>,
  { settings, secrets: { password, clientSecret } }: ParsedSettings<Settings>,
  base: Readonly<SurveySettings> = defaultSettings,
): Promise<Settings> {
  const kept: Settings = { ...settings }
  if (password !== undefined) kept.password_hash = password === null ? null : await hashPassword(password)
  if (clientSecret !== undefined)
    kept.custom_authentication = {
      ...(kept.custom_authentication ?? base.custom_authentication),
      client_secret_encrypted: clientSecret === null ? null : seal(secretKey, SEAL_PURPOSE, clientSecret),
    }
  return kept
}

/** The client secret to authenticate with; undefined when none is set or the installation's key has been replaced. */
export const clientSecretOf = (
  { secretKey }: Pick<Services, 'secretKey'>,
  settings: SurveySettings,
): string | undefined => {
  const sealed = settings.custom_authentication.client_secret_encrypted
  return sealed === null ? undefined : unseal(secretKey, SEAL_PURPOSE, sealed)
}
