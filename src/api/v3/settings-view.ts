import type { Configuration } from '../../domain/survey/configure.ts'
import type { CustomAuthentication } from '../../domain/survey/settings.ts'
import type { Schemas } from './operation.ts'
import { liveView } from './views.ts'

const authenticationView = (custom: CustomAuthentication): Schemas['CustomAuthentication'] => ({
  enabled: custom.enabled,
  endpoint_uri: custom.endpoint_uri,
  client_secret_set: custom.client_secret_encrypted !== null,
  scope: custom.scope ?? '',
})

/** Shows the settings. Lists each member, so that a new secret does not appear by accident. */
export const settingsView = ({ live, settings }: Configuration): Schemas['Settings'] => ({
  live: liveView(live),
  open_at: settings.open_at,
  close_at: settings.close_at,
  closed_message: settings.closed_message,
  thank_you_message: settings.thank_you_message,
  max_responses: settings.max_responses,
  one_per_invite: settings.one_per_invite,
  invite_only: settings.invite_only,
  password: settings.password_hash !== null,
  progress_bar: settings.progress_bar,
  back_button: settings.back_button,
  save_and_continue: settings.save_and_continue,
  kiosk: settings.kiosk,
  anonymous: settings.anonymous,
  store_ip: settings.store_ip,
  redirect_url: settings.redirect_url,
  custom_authentication: authenticationView(settings.custom_authentication),
})
