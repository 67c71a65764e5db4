import type { ApplicationDraft } from '../../../domain/oauth/application-draft.ts'
import { type Html, html } from '../../../lib/html.ts'
import { type FieldErrorTexts, field } from '../../forms/field.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'

/** The fields of the form: the members of a registered application (docs/specification.md 3.3). */
export const FIELDS = ['name', 'homepage', 'callback', 'description'] as const

export const parseApplication = (form: FormFields): ApplicationDraft => ({
  name: formValue(form, 'name') ?? '',
  homepage: formValue(form, 'homepage') ?? '',
  callback: formValue(form, 'callback') ?? '',
  description: formValue(form, 'description') ?? '',
})

/** Renders the fields of an application. */
export const fieldsView = (draft: ApplicationDraft, errors: FieldErrorTexts): Html =>
  html`${field({ name: 'name', label: 'Application name', value: draft.name, hint: 'Shown to users when the application asks for access.', required: true, errors })}
${field({ name: 'homepage', label: 'Homepage URL', value: draft.homepage, hint: 'A page that describes the application.', required: true, errors })}
${field({ name: 'callback', label: 'Callback URL', value: draft.callback, hint: 'Users return here after authorization. It must match the redirect_uri of requests exactly.', required: true, errors })}
${field({ name: 'description', label: 'Description', value: draft.description, hint: 'Optional. Describes what the application does with users’ data.', errors })}`
