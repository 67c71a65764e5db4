import { seal, unseal } from '../../lib/secrets.ts'
import { hashPassword } from '../account/password.ts'
import { fieldError } from '../field-error.ts'
import { problems } from '../problem.ts'
import type { Services } from '../services.ts'
import * as values from './setting-parsers.ts'
import { SettingErrors } from './setting-parsers.ts'
import { type CustomAuthentication, defaultSettings, type SettingsChange, type SurveySettings } from './settings.ts'

/** New secrets in plain text; null removes a secret, undefined keeps it. */
interface SecretChanges {
  password: string | null | undefined
  clientSecret: string | null | undefined
}

/** Validated settings, and the secrets that have not been hashed or sealed yet. */
interface ParsedSettings<Settings extends Partial<SurveySettings>> {
  settings: Settings
  secrets: SecretChanges
}

/**
 * Applies a change to settings and validates the result.
 * @param current the stored settings of a survey, or the overrides of a collector
 * @param base the defaults for `current`; for a collector, these are the settings of its survey
 * @throws {Problem} `invalid_request` with one error per invalid member
 */
export function parseSettings<Settings extends Partial<SurveySettings>>(
  change: SettingsChange,
  current: Settings,
  base: Readonly<SurveySettings> = defaultSettings,
): ParsedSettings<Settings> {
  const errors = new SettingErrors()
  const before: SurveySettings = { ...base, ...current }
  const changed = { ...plainSettings(errors, change), ...authenticationOf(errors, change, before) }
  const secrets = secretsOf(errors, change, before)
  const after: SurveySettings = { ...before, ...changed }
  if (after.open_at !== null && after.close_at !== null && Date.parse(after.open_at) >= Date.parse(after.close_at))
    errors.list.push(
      changed.close_at
        ? fieldError('close_at', 'invalid_period', {}, `must be after open_at, which is ${after.open_at}`)
        : fieldError('open_at', 'invalid_period', {}, `must be before close_at, which is ${after.close_at}`),
    )
  if (errors.list.length) throw problems.invalid(errors.list)
  return { settings: { ...current, ...changed }, secrets }
}

/** Parses all settings except secrets and custom authentication. */
function plainSettings(errors: SettingErrors, change: SettingsChange): Partial<SurveySettings> {
  return definedMembers({
    open_at: errors.read('open_at', change.open_at, values.time),
    close_at: errors.read('close_at', change.close_at, values.time),
    closed_message: errors.read('closed_message', change.closed_message, values.message),
    thank_you_message: errors.read('thank_you_message', change.thank_you_message, values.message),
    max_responses: errors.read('max_responses', change.max_responses, values.count),
    one_per_invite: change.one_per_invite,
    invite_only: change.invite_only,
    progress_bar: change.progress_bar,
    back_button: change.back_button,
    save_and_continue: change.save_and_continue,
    kiosk: change.kiosk,
    receipt: change.receipt,
    anonymous: change.anonymous,
    store_ip: change.store_ip,
    redirect_url: errors.read('redirect_url', change.redirect_url, values.webAddress),
    anonymity_threshold: errors.read('anonymity_threshold', change.anonymity_threshold, values.threshold),
    approval_required: change.approval_required,
  })
}

function authenticationOf(
  errors: SettingErrors,
  { custom_authentication: change }: SettingsChange,
  { custom_authentication: before }: SurveySettings,
): { custom_authentication?: CustomAuthentication } {
  if (change === undefined) return {}
  const field = 'custom_authentication.endpoint_uri'
  const endpoint = errors.read(field, change.endpoint_uri, values.endpoint)
  const scope = errors.read('custom_authentication.scope', change.scope, values.scope)
  const { scope: newScope, ...members } = {
    ...before,
    ...definedMembers({ enabled: change.enabled, endpoint_uri: endpoint, scope }),
  }
  // Without a scope, the stored settings are the same as those of earlier releases.
  const after: CustomAuthentication = { ...members, ...(newScope && { scope: newScope }) }
  if (after.enabled && !after.endpoint_uri && !errors.list.some((error) => error.field === field))
    errors.list.push(fieldError(field, 'missing_parameter', {}, 'is required when custom authentication is enabled'))
  // If the endpoint URL changes, the secret must be entered again. Otherwise, a group member with the role Edit could
  // enter another URL, and the service would send the stored secret to this URL.
  if (
    after.endpoint_uri !== before.endpoint_uri &&
    before.client_secret_encrypted &&
    change.client_secret === undefined
  )
    errors.list.push(fieldError('custom_authentication.client_secret', 'secret_required'))
  return { custom_authentication: after }
}

function secretsOf(errors: SettingErrors, change: SettingsChange, before: SurveySettings): SecretChanges {
  const { password } = change
  if (password === true && before.password_hash === null) errors.list.push(fieldError('password', 'password_not_set'))
  return {
    password: errors.read('password', password === true ? undefined : password, values.password),
    clientSecret: errors.read(
      'custom_authentication.client_secret',
      change.custom_authentication?.client_secret,
      values.secret,
    ),
  }
}

type DefinedMembers<Members> = { [Member in keyof Members]?: Exclude<Members[Member], undefined> }

/** Returns the members that are not undefined. */
const definedMembers = <Members extends object>(members: Members): DefinedMembers<Members> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as DefinedMembers<Members>

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
