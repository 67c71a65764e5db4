/** The settings of a survey (docs/specification.md 5.6). */
export interface SurveySettings {
  /** ISO 8601 times between which the survey accepts responses; null: no limit. */
  open_at: string | null
  close_at: string | null
  closed_message: string
  thank_you_message: string
  /** The survey closes after this many completed responses; null: no limit. */
  max_responses: number | null
  one_per_invite: boolean
  invite_only: boolean
  /** The hash of the password that respondents enter before the first page. */
  password_hash: string | null
  progress_bar: boolean
  back_button: boolean
  save_and_continue: boolean
  /** Whether several respondents use one device. The survey then does not offer to continue a response. */
  kiosk: boolean
  /** Whether respondents get a code with which they see, correct and withdraw their responses. */
  receipt: boolean
  anonymous: boolean
  store_ip: boolean
  redirect_url: string | null
  /**
   * Readers who may not view responses see counts in multiples of this number (docs/anonymity-threshold.md); 1: exact
   * counts.
   */
  anonymity_threshold: number
  /** Whether only a structure that was approved can be published (survey/reviews.ts). */
  approval_required: boolean
  custom_authentication: CustomAuthentication
}

/** The identity provider at which respondents sign in (docs/specification.md 12.1). */
export interface CustomAuthentication {
  enabled: boolean
  /** The URL without a trailing slash; empty if not set. */
  endpoint_uri: string
  /** Encrypted (settings-secret.ts); never part of a reply. */
  client_secret_encrypted: string | null
  /** The scopes of the authorization request, separated by spaces; absent for none. */
  scope?: string | undefined
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
  kiosk: false,
  receipt: false,
  anonymous: false,
  store_ip: true,
  redirect_url: null,
  anonymity_threshold: 5,
  approval_required: false,
  custom_authentication: Object.freeze({ enabled: false, endpoint_uri: '', client_secret_encrypted: null }),
})

/** A change of settings. Absent members are not changed. An empty string or null removes a time, a URL or a secret. */
export interface SettingsChange {
  open_at?: string | null | undefined
  close_at?: string | null | undefined
  closed_message?: string | null | undefined
  thank_you_message?: string | null | undefined
  max_responses?: number | '' | null | undefined
  one_per_invite?: boolean | undefined
  invite_only?: boolean | undefined
  /** `true` keeps the password; replies contain `true` if a password is set. `false`, null and '' remove it. */
  password?: string | boolean | null | undefined
  progress_bar?: boolean | undefined
  back_button?: boolean | undefined
  save_and_continue?: boolean | undefined
  kiosk?: boolean | undefined
  receipt?: boolean | undefined
  anonymous?: boolean | undefined
  store_ip?: boolean | undefined
  redirect_url?: string | null | undefined
  anonymity_threshold?: number | '' | null | undefined
  approval_required?: boolean | undefined
  custom_authentication?:
    | {
        enabled?: boolean | undefined
        endpoint_uri?: string | null | undefined
        client_secret?: string | null | undefined
        scope?: string | null | undefined
      }
    | undefined
}

/** Rounds a count down to a multiple of the anonymity threshold. */
export const publishedCount = (count: number, threshold: number): number => count - (count % threshold)
