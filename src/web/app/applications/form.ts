import {
  type Application,
  type ApplicationDraft,
  type ApplicationKind,
  callbacksOf,
} from '../../../domain/oauth/applications.ts'
import { type Html, html } from '../../../lib/html.ts'
import { type FieldErrorTexts, field, textArea } from '../../forms/field.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'

/** The names of the form fields. Each field is a property of a registered application (docs/specification.md 3.3). */
export const FIELDS = ['name', 'homepage', 'callback', 'description'] as const

export const parseApplication = (form: FormFields): ApplicationDraft => ({
  name: formValue(form, 'name') ?? '',
  homepage: formValue(form, 'homepage') ?? '',
  callback: formValue(form, 'callback') ?? '',
  description: formValue(form, 'description') ?? '',
})

export const parseKind = (form: FormFields): ApplicationKind =>
  formValue(form, 'kind') === 'public' ? 'public' : 'confidential'

/** Returns the details of a registered application as its form shows them. */
export const draftOf = (application: Application): ApplicationDraft => ({
  ...application,
  callback: callbacksOf(application).join('\n'),
})

/** Renders the choice of the kind of an application, which cannot be changed later. */
export const kindView = (kind: ApplicationKind): Html =>
  html`<fieldset class="checks"><legend>Where does the application run?</legend>
<label><input type="radio" name="kind" value="confidential"${kind === 'confidential' && html` checked`}> <span>On a server that keeps a client secret</span></label>
<label><input type="radio" name="kind" value="public"${kind === 'public' && html` checked`}> <span>In a browser, on a phone or on a user’s computer: without a secret, with PKCE</span></label></fieldset>`

/** Renders the fields of an application. */
export const fieldsView = (draft: ApplicationDraft, errors: FieldErrorTexts): Html =>
  html`${field({ name: 'name', label: t('Application name'), value: draft.name, hint: t('Shown to users when the application asks for access.'), required: true, errors })}
${field({ name: 'homepage', label: t('Homepage URL'), value: draft.homepage, hint: t('A page that describes the application.'), required: true, errors })}
${textArea({ name: 'callback', label: t('Callback URL'), value: draft.callback, hint: t('Users return here after authorization. Must be the same as the redirect_uri of the authorization request; for http://127.0.0.1 and http://[::1], any port is accepted. Enter each further URL on its own line.'), rows: 3, errors })}
${field({ name: 'description', label: t('Description'), value: draft.description, hint: t('Optional. Describes what the application does with users’ data.'), errors })}`
