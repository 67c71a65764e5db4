import type { SurveySettings } from '../../../domain/survey/settings.ts'

/** How a setting is entered. A secret is never shown: only whether there is one. */
export type SettingKind = 'check' | 'prose' | 'count' | 'time' | 'address' | 'secret'

export interface SettingField {
  /** As the domain names it in a refusal. */
  name: string
  kind: SettingKind
  label: string
  hint: string
  /** What stands in the field: the text, 'on' for a tick, 'set' for a secret; '' for nothing. */
  shown(settings: SurveySettings): string
}

export interface SettingGroup {
  title: string
  fields: readonly SettingField[]
  /** What one has to know elsewhere, in words. */
  note?(elsewhere: { clientId: string; returnAddress: string }): string
}

type Truths = {
  [Name in keyof SurveySettings]: SurveySettings[Name] extends boolean ? Name : never
}[keyof SurveySettings]
type Texts = 'closed_message' | 'thank_you_message' | 'redirect_url'

const check = (name: Truths, label: string, hint: string): SettingField => ({
  name,
  kind: 'check',
  label,
  hint,
  shown: (settings) => (settings[name] ? 'on' : ''),
})

const text = (name: Texts, kind: 'prose' | 'address', label: string, hint: string): SettingField => ({
  name,
  kind,
  label,
  hint,
  shown: (settings) => settings[name] ?? '',
})

/** To the minute, or to the second where seconds were given. */
const time = (name: 'open_at' | 'close_at', label: string, hint: string): SettingField => ({
  name,
  kind: 'time',
  label,
  hint,
  shown: (settings) => settings[name]?.replace(/(:00)?(\.000)?Z$/, '') ?? '',
})

/** Every setting of a survey, as its form shows them. */
export const settingGroups: readonly SettingGroup[] = [
  {
    title: 'When it takes answers',
    fields: [
      time('open_at', 'Opens at (UTC)', 'Before, it is closed. Left empty, it has no such bound.'),
      time('close_at', 'Closes at (UTC)', 'From then on it is closed. Left empty, it has no such bound.'),
      {
        name: 'max_responses',
        kind: 'count',
        label: 'Most responses',
        hint: 'With so many complete ones it closes by itself. Left empty, there is no bound.',
        shown: ({ max_responses }) => String(max_responses ?? ''),
      },
      text('closed_message', 'prose', 'Told while it is closed', 'Instead of our own words.'),
    ],
  },
  {
    title: 'Who may take it',
    fields: [
      {
        name: 'password',
        kind: 'secret',
        label: 'Password',
        hint: 'Asked for before the first page.',
        shown: ({ password_hash }) => (password_hash === null ? '' : 'set'),
      },
      check('invite_only', 'Only with an invitation', 'Others are told that they need one.'),
      check('one_per_invite', 'One response per invitation', 'Who comes back with it goes on with the first.'),
    ],
  },
  {
    title: 'While it is taken',
    fields: [
      check('progress_bar', 'Progress bar', 'Shows how far one is, on surveys of several pages.'),
      check('back_button', 'Back button', 'Lets respondents go back to earlier pages.'),
      check('save_and_continue', 'Save and continue later', 'Gives respondents an address to come back to.'),
    ],
  },
  {
    title: 'When it is done',
    fields: [
      text('thank_you_message', 'prose', 'Told at the end', 'Instead of our own words.'),
      text(
        'redirect_url',
        'address',
        'Or lead to another page',
        'A web address such as https://example.org/thanks?drink={{ drink }}, where answers replace the question ids. Leave blank to show the thank-you page.',
      ),
    ],
  },
  {
    title: 'Privacy',
    fields: [
      check(
        'anonymous',
        'Anonymous',
        'Nothing that tells who answered is stored. Once there are responses, it cannot be taken back.',
      ),
      check('store_ip', 'Store IP addresses', 'Not of anonymous responses.'),
    ],
  },
  {
    title: 'Sign-in by your own identity system',
    note: ({ clientId, returnAddress }) =>
      `Your system knows us as the client “${clientId}” and sends respondents back to ${returnAddress}`,
    fields: [
      {
        name: 'custom_authentication.enabled',
        kind: 'check',
        label: 'Ask for sign-in',
        hint: 'Your system decides who may take the survey.',
        shown: ({ custom_authentication }) => (custom_authentication.enabled ? 'on' : ''),
      },
      {
        name: 'custom_authentication.endpoint_uri',
        kind: 'address',
        label: 'Its address',
        hint: 'Where its OAuth 2.0 endpoints begin, with https://.',
        shown: ({ custom_authentication }) => custom_authentication.endpoint_uri,
      },
      {
        name: 'custom_authentication.client_secret',
        kind: 'secret',
        label: 'Client secret',
        hint: 'With which we prove ourselves to it.',
        shown: ({ custom_authentication }) => (custom_authentication.client_secret_encrypted === null ? '' : 'set'),
      },
    ],
  },
]

/** All of them. */
export const settingFields: readonly SettingField[] = settingGroups.flatMap(({ fields }) => fields)
