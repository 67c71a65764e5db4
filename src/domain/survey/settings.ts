/** What the owner of a survey may set about how it is taken (decisions.md, section 2, `settings/`). */
export interface SurveySettings {
  /** ISO 8601 times between which the survey takes answers; null: no bound. */
  open_at: string | null
  close_at: string | null
  closed_message: string
  thank_you_message: string
  /** Responses after which the survey closes by itself; null: no bound. */
  max_responses: number | null
  one_per_invite: boolean
  invite_only: boolean
  /** Asked before the first page; stored hashed, shown only as set or not. */
  password_hash: string | null
  progress_bar: boolean
  back_button: boolean
  save_and_continue: boolean
  anonymous: boolean
  store_ip: boolean
  redirect_url: string | null
  custom_authentication: { enabled: boolean; endpoint_uri: string; client_secret_encrypted: string | null }
}

export const defaultSettings: Readonly<SurveySettings> = Object.freeze({
  open_at: null,
  close_at: null,
  closed_message: '',
  thank_you_message: '',
  max_responses: null,
  one_per_invite: true,
  invite_only: false,
  password_hash: null,
  progress_bar: true,
  back_button: true,
  save_and_continue: true,
  anonymous: false,
  store_ip: true,
  redirect_url: null,
  custom_authentication: Object.freeze({ enabled: false, endpoint_uri: '', client_secret_encrypted: null }),
})
