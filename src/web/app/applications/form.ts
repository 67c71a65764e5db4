import type { ApplicationDraft } from '../../../domain/oauth/draft.ts'
import { type Html, html } from '../../../lib/html.ts'
import { type FieldErrorTexts, field } from '../../forms/field.ts'
import { type FormFields, one } from '../../respondent/input.ts'

/** The fields of the form, by the names of the specification's registration. */
export const FIELDS = ['name', 'homepage', 'callback', 'description'] as const

export const draftIn = (form: FormFields): ApplicationDraft => ({
  name: one(form, 'name') ?? '',
  homepage: one(form, 'homepage') ?? '',
  callback: one(form, 'callback') ?? '',
  description: one(form, 'description') ?? '',
})

/** What a developer says of an application. */
export const fieldsView = (draft: ApplicationDraft, errors: FieldErrorTexts): Html =>
  html`${field({ name: 'name', label: 'Application name', value: draft.name, hint: 'People read it when they are asked to let it in.', required: true, faults: errors })}
${field({ name: 'homepage', label: 'Homepage URL', value: draft.homepage, hint: 'Where people learn what it is.', required: true, faults: errors })}
${field({ name: 'callback', label: 'Callback URL', value: draft.callback, hint: 'Where people are sent back to. It is compared letter for letter.', required: true, faults: errors })}
${field({ name: 'description', label: 'Description', value: draft.description, hint: 'What it does with people’s surveys. You may leave it out.', faults: errors })}`
