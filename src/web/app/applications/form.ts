import type { ApplicationDraft } from '../../../domain/oauth/application-draft.ts'
import { type Html, html } from '../../../lib/html.ts'
import { type FieldErrorTexts, field } from '../../forms/field.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'

/** The fields of the form, by the names of the specification's registration. */
export const FIELDS = ['name', 'homepage', 'callback', 'description'] as const

export const parseApplication = (form: FormFields): ApplicationDraft => ({
  name: formValue(form, 'name') ?? '',
  homepage: formValue(form, 'homepage') ?? '',
  callback: formValue(form, 'callback') ?? '',
  description: formValue(form, 'description') ?? '',
})

/** What a developer says of an application. */
export const fieldsView = (draft: ApplicationDraft, errors: FieldErrorTexts): Html =>
  html`${field({ name: 'name', label: 'Application name', value: draft.name, hint: 'People read it when they are asked to let it in.', required: true, errors })}
${field({ name: 'homepage', label: 'Homepage URL', value: draft.homepage, hint: 'Where people learn what it is.', required: true, errors })}
${field({ name: 'callback', label: 'Callback URL', value: draft.callback, hint: 'Where people are sent back to. It is compared letter for letter.', required: true, errors })}
${field({ name: 'description', label: 'Description', value: draft.description, hint: 'What it does with people’s surveys. You may leave it out.', errors })}`
