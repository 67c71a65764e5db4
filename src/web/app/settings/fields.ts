import type { SurveySettings } from '../../../domain/survey/settings.ts'

/** The control of a setting. A secret is never shown; the page only shows whether a secret is set. */
export type SettingKind = 'check' | 'prose' | 'count' | 'time' | 'address' | 'secret'

export interface SettingField {
  /** The name in errors of the domain. */
  name: string
  kind: SettingKind
  label: string
  hint: string
  /** Returns the value of the field: the text, 'on' for a ticked checkbox, 'set' for a secret; '' for none. */
  shown(settings: SurveySettings): string
}

export interface SettingGroup {
  title: string
  fields: readonly SettingField[]
  /** Returns instructions for the identity provider. */
  note?(provider: { clientId: string; returnAddress: string }): string
}

type BooleanSetting = {
  [Name in keyof SurveySettings]: SurveySettings[Name] extends boolean ? Name : never
}[keyof SurveySettings]
type TextSetting = 'closed_message' | 'thank_you_message' | 'redirect_url'

const check = (name: BooleanSetting, label: string, hint: string): SettingField => ({
  name,
  kind: 'check',
  label,
  hint,
  shown: (settings) => (settings[name] ? 'on' : ''),
})

const text = (name: TextSetting, kind: 'prose' | 'address', label: string, hint: string): SettingField => ({
  name,
  kind,
  label,
  hint,
  shown: (settings) => settings[name] ?? '',
})

/** Shown to the minute, or to the second if the time has seconds. */
const time = (name: 'open_at' | 'close_at', label: string, hint: string): SettingField => ({
  name,
  kind: 'time',
  label,
  hint,
  shown: (settings) => settings[name]?.replace(/(:00)?(\.000)?Z$/, '') ?? '',
})

/** The settings of a survey, as its form shows them. */
export const settingGroups: readonly SettingGroup[] = [
  {
    title: 'Availability',
    fields: [
      time('open_at', 'Opens at (UTC)', 'The survey is closed until then. Leave blank for no start date.'),
      time('close_at', 'Closes at (UTC)', 'The survey is closed from then on. Leave blank for no end date.'),
      {
        name: 'max_responses',
        kind: 'count',
        label: 'Response limit',
        hint: 'The survey closes after this many completed responses. Leave blank for no limit.',
        shown: ({ max_responses }) => String(max_responses ?? ''),
      },
      text('closed_message', 'prose', 'Closed message', 'Shown instead of the default text.'),
    ],
  },
  {
    title: 'Access',
    fields: [
      {
        name: 'password',
        kind: 'secret',
        label: 'Password',
        hint: 'Respondents enter it before the first page.',
        shown: ({ password_hash }) => (password_hash === null ? '' : 'set'),
      },
      check('invite_only', 'Invitation required', 'Other visitors see a message instead of the survey.'),
      check(
        'one_per_invite',
        'One response per invitation',
        'Respondents who use their link again return to their response. In an anonymous survey, they see a message instead.',
      ),
    ],
  },
  {
    title: 'Survey pages',
    fields: [
      check('progress_bar', 'Progress bar', 'Shows progress in surveys with several pages.'),
      check('back_button', 'Back button', 'Lets respondents go back to earlier pages.'),
      check(
        'save_and_continue',
        'Save and continue later',
        'Gives respondents a link to continue their response later.',
      ),
    ],
  },
  {
    title: 'Completion',
    fields: [
      text('thank_you_message', 'prose', 'Thank-you message', 'Shown instead of the default text.'),
      text(
        'redirect_url',
        'address',
        'Redirect to',
        'For example, https://example.org/thanks?drink={{ drink }}. A question ID in double braces is replaced with the answer. Leave blank to show the thank-you page.',
      ),
    ],
  },
  {
    title: 'Privacy',
    fields: [
      check(
        'anonymous',
        'Anonymous',
        'Canvass stores no data that identifies respondents. You cannot turn this off after the first response.',
      ),
      check('store_ip', 'Store IP addresses', 'IP addresses of anonymous responses are never stored.'),
    ],
  },
  {
    title: 'Sign-in with your identity provider',
    note: ({ clientId, returnAddress }) =>
      `Register Canvass with your identity provider. Client ID: ${clientId}. Redirect URI: ${returnAddress}`,
    fields: [
      {
        name: 'custom_authentication.enabled',
        kind: 'check',
        label: 'Require sign-in',
        hint: 'Your identity provider decides who can take the survey.',
        shown: ({ custom_authentication }) => (custom_authentication.enabled ? 'on' : ''),
      },
      {
        name: 'custom_authentication.endpoint_uri',
        kind: 'address',
        label: 'Provider URL',
        hint: 'The base URL of its OAuth 2.0 endpoints. Starts with https://.',
        shown: ({ custom_authentication }) => custom_authentication.endpoint_uri,
      },
      {
        name: 'custom_authentication.client_secret',
        kind: 'secret',
        label: 'Client secret',
        hint: 'Authenticates this service with your provider.',
        shown: ({ custom_authentication }) => (custom_authentication.client_secret_encrypted === null ? '' : 'set'),
      },
    ],
  },
]

/** The settings of all groups. */
export const settingFields: readonly SettingField[] = settingGroups.flatMap(({ fields }) => fields)
