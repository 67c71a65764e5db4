import type { ApplicationDraft } from '../../../domain/oauth/application-draft.ts'
import { type Html, html } from '../../../lib/html.ts'
import { type FieldErrorTexts, field } from '../../forms/field.ts'
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

/** Renders the fields of an application. */
export const fieldsView = (draft: ApplicationDraft, errors: FieldErrorTexts): Html =>
  html`${field({ name: 'name', label: t('Application name'), value: draft.name, hint: t('Shown to users when the application asks for access.'), required: true, errors })}
${field({ name: 'homepage', label: t('Homepage URL'), value: draft.homepage, hint: t('A page that describes the application.'), required: true, errors })}
${field({ name: 'callback', label: t('Callback URL'), value: draft.callback, hint: t('Users return here after authorization. Must be the same as the redirect_uri of the authorization request.'), required: true, errors })}
${field({ name: 'description', label: t('Description'), value: draft.description, hint: t('Optional. Describes what the application does with users’ data.'), errors })}`
