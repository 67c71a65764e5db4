import type { SurveySettings } from '../../../domain/survey/settings.ts'
import { localValue } from '../../forms/field.ts'
import { zoneName } from '../../i18n/page-locale.ts'
import { perLanguage, t } from '../../i18n/t.ts'

/** The kinds of form controls for a setting. The page never shows a `secret`, only whether one is set. */
export type SettingKind = 'check' | 'prose' | 'count' | 'time' | 'address' | 'word' | 'secret'

export interface SettingField {
  /** The name of the setting in the domain and in its errors. */
  name: string
  kind: SettingKind
  label: string
  hint: string
  /**
   * Returns the value of the form field: the text, 'on' for a ticked checkbox, 'set' for a stored secret, or '' if the
   * setting has no value.
   */
  shown(settings: SurveySettings): string
}

export interface SettingGroup {
  title: string
  fields: readonly SettingField[]
  /** Returns instructions for registering this service with the identity provider. */
  note?(provider: { clientId: string; returnAddress: string }): string
  /** A page that belongs to the settings of the group: its path below the page of the settings, and its name. */
  link?: { path: string; label: string }
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

/** Creates a field for a time in the time zone of the page. */
const time = (name: 'open_at' | 'close_at', label: (zone: string) => string, hint: string): SettingField => ({
  name,
  kind: 'time',
  get label() {
    return label(zoneName())
  },
  hint,
  shown: ({ [name]: at }) => (at === null ? '' : localValue(new Date(at))),
})

/** Returns the settings of a survey in the groups in which the form shows them. */
export const settingGroups: () => readonly SettingGroup[] = perLanguage(() => [
  {
    title: t('Availability'),
    fields: [
      time(
        'open_at',
        (zone) => t('Opens at ({zone})', { zone }),
        t('The survey is closed until then. Leave blank for no start date.'),
      ),
      time(
        'close_at',
        (zone) => t('Closes at ({zone})', { zone }),
        t('The survey is closed from then on. Leave blank for no end date.'),
      ),
      {
        name: 'max_responses',
        kind: 'count',
        label: t('Response limit'),
        hint: t('The survey closes after this many completed responses. Leave blank for no limit.'),
        shown: ({ max_responses }) => String(max_responses ?? ''),
      },
      text('closed_message', 'prose', t('Message when the survey is closed'), t('Shown instead of the default text.')),
    ],
  },
  {
    title: t('Access'),
    fields: [
      {
        name: 'password',
        kind: 'secret',
        label: t('Password'),
        hint: t('Respondents enter it before the first page.'),
        shown: ({ password_hash }) => (password_hash === null ? '' : 'set'),
      },
      check(
        'invite_only',
        t('Invitation required'),
        t('Visitors without an invitation see a message instead of the survey.'),
      ),
      check(
        'one_per_invite',
        t('One response per invitation'),
        t(
          'Respondents who use their link again return to their response. In an anonymous survey, they see a message instead.',
        ),
      ),
    ],
  },
  {
    title: t('Survey pages'),
    fields: [
      check('progress_bar', t('Progress bar'), t('Shows progress in surveys with several pages.')),
      check('back_button', t('Back button'), t('Lets respondents go back to earlier pages.')),
      check(
        'save_and_continue',
        t('Save and continue later'),
        t('Gives respondents a link to continue their response later.'),
      ),
      check(
        'kiosk',
        t('Shared device'),
        t(
          'For a device that several people use: the survey does not offer to continue the response of the person before.',
        ),
      ),
    ],
  },
  {
    title: t('Publishing'),
    fields: [
      check(
        'approval_required',
        t('Approval required'),
        t(
          'Only a draft that somebody with the right to publish has approved can be published. Only the owner can change this.',
        ),
      ),
    ],
  },
  {
    title: t('Completion'),
    fields: [
      check(
        'receipt',
        t('Receipt for respondents'),
        t(
          'After the last page, respondents get a code with which they see, correct (until the survey closes) and withdraw their answers. You cannot see the code.',
        ),
      ),
      text(
        'thank_you_message',
        'prose',
        t('Thank-you message'),
        t(
          'Shown instead of the default text. If the theme has a text for the thank-you page, that text is shown instead.',
        ),
      ),
      text(
        'redirect_url',
        'address',
        t('Redirect to'),
        t(
          'For example, https://example.org/thanks?drink={{ drink }}. A question ID in double braces is replaced with the answer. Leave blank to show the thank-you page.',
        ),
      ),
    ],
  },
  {
    title: t('Privacy'),
    fields: [
      check(
        'anonymous',
        t('Anonymous'),
        t('Canvass stores no data that identifies respondents. You cannot turn this off after the first response.'),
      ),
      check('store_ip', t('Store IP addresses'), t('IP addresses of anonymous responses are never stored.')),
      {
        name: 'anonymity_threshold',
        kind: 'count',
        label: t('Smallest number in shared reports'),
        hint: t(
          'Guests of shared reports, and people who may not view responses, see counts in multiples of this number, from 1 to 100. With 1, they see exact counts.',
        ),
        shown: ({ anonymity_threshold }) => String(anonymity_threshold),
      },
    ],
  },
  {
    title: t('Sign-in with your identity provider'),
    note: ({ clientId, returnAddress }) =>
      t('Register Canvass with your identity provider. Client ID: {clientId}. Redirect URI: {returnAddress}', {
        clientId,
        returnAddress,
      }),
    link: { path: 'sign-in/', label: t('Last failures, and a test of the connection') },
    fields: [
      {
        name: 'custom_authentication.enabled',
        kind: 'check',
        label: t('Require sign-in'),
        hint: t('Your identity provider decides who can take the survey.'),
        shown: ({ custom_authentication }) => (custom_authentication.enabled ? 'on' : ''),
      },
      {
        name: 'custom_authentication.endpoint_uri',
        kind: 'address',
        label: t('Provider URL'),
        hint: t('The base URL of the provider’s OAuth 2.0 endpoints. Starts with https://.'),
        shown: ({ custom_authentication }) => custom_authentication.endpoint_uri,
      },
      {
        name: 'custom_authentication.client_secret',
        kind: 'secret',
        label: t('Client secret'),
        hint: t('Authenticates Canvass with your identity provider.'),
        shown: ({ custom_authentication }) => (custom_authentication.client_secret_encrypted === null ? '' : 'set'),
      },
      {
        name: 'custom_authentication.scope',
        kind: 'word',
        label: t('Scope'),
        hint: t('Only if your identity provider requires it, such as openid. Separate several by spaces.'),
        shown: ({ custom_authentication }) => custom_authentication.scope ?? '',
      },
    ],
  },
])

/** The settings of all groups. */
export const settingFields: readonly SettingField[] = settingGroups().flatMap(({ fields }) => fields)
