import { signInCallbackUrl } from '../../../domain/identity/identity-provider.ts'
import { problems } from '../../../domain/problem.ts'
import type { Structure } from '../../../domain/structure/structure.ts'
import { hasResponses } from '../../../domain/survey/anonymize.ts'
import { updateStructure, updateSurvey } from '../../../domain/survey/commands.ts'
import { findConfiguration, updateConfiguration } from '../../../domain/survey/configure.ts'
import { findCurrentVersion } from '../../../domain/survey/versions.ts'
import { html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { alert, type FieldErrorTexts, field, fieldErrorsOf, textArea } from '../../forms/field.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import type { PageResult } from '../../page.ts'
import { editMenu } from '../builder/menu.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { parseSettings } from './change.ts'
import { settingFields, settingGroups } from './fields.ts'
import { settingView } from './view.ts'

/** Name, title and description, and all settings of a survey, on one form. */
export const showSettings = (request: SurveyRequest): Promise<PageResult> => settingsPage(request)

async function settingsPage(
  request: SurveyRequest,
  refused?: { errors: FieldErrorTexts; general: string | undefined },
): Promise<PageResult> {
  const { context, survey, root, csrf, form } = request
  const { settings } = await findConfiguration(context, survey.id)
  const { version, structure } = await findCurrentVersion(context, survey.id)
  const errors: FieldErrorTexts = refused?.errors ?? new Map()
  const { baseUrl, serviceClientId } = context.services
  const { slug, creator } = survey
  const elsewhere = { clientId: serviceClientId, returnAddress: signInCallbackUrl(baseUrl, { ...creator, slug }) }
  const typed = (name: string, stored: string) => (refused ? (formValue(form, name) ?? '') : stored)
  return request.render(
    {
      title: 'Settings',
      action: editMenu(request, 'settings'),
      content: html`${alert(refused && (refused.general ?? 'Something has to be mended below. Nothing was saved.'))}
<form method="post" action="${root}edit/settings/" class="settings">${csrfField(csrf)}<input type="hidden" name="version" value="${typed('version', String(version))}" autocomplete="off">
<section class="card" aria-labelledby="words"><h2 id="words">Name and first words</h2>
${field({ name: 'name', label: 'Name', hint: 'Only you and your groups see it. The address of the survey stays.', value: typed('name', survey.name), required: true, errors })}
${wordsView(structure, typed, errors)}</section>
${settingGroups.map(
  ({ title, fields, note }, index) =>
    html`<section class="card" aria-labelledby="group-${index}"><h2 id="group-${index}">${title}</h2>${fields.map(
      (one) => {
        const stored = one.shown(settings)
        return settingView(one, one.kind === 'secret' ? stored : typed(one.name, stored), errors)
      },
    )}${note && html`<p class=\"hint address\">${note(elsewhere)}</p>`}</section>`,
)}
<div class=\"actions\"><button class="primary">Save settings</button></div></form>`,
    },
    refused ? 422 : 200,
  )
}

/** Title and description, one of each a language. */
function wordsView(
  structure: Structure,
  typed: (name: string, stored: string) => string,
  errors: FieldErrorTexts,
): Part {
  const { title, description, languages } = structure as Structure & { description?: Record<string, string> }
  const several = languages.length > 1
  return languages.map(({ code, name }) => {
    const told = (label: string) => (several ? `${label} (${name})` : label)
    return html`${field({ name: `title.${code}`, label: told('Title'), value: typed(`title.${code}`, title[code] ?? ''), errors })}
${textArea({ name: `description.${code}`, label: told('Description'), value: typed(`description.${code}`, description?.[code] ?? ''), prose: true, rows: 3, errors })}`
  })
}

/** Saves all of it, or nothing where something is refused. */
export async function saveSettings(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form, root } = request
  const { version, structure } = await findCurrentVersion(context, survey.id)
  const codes = structure.languages.map(({ code }) => code)
  try {
    const name = formValue(form, 'name') ?? ''
    const worded = withWords(structure, codes, form)
    if (name.trim() === '') throw problems.invalidField('name', 'blank')
    const change = parseSettings(form)
    if (change.anonymous && formValue(form, 'confirmed') !== 'anonymous') {
      const { settings } = await findConfiguration(context, survey.id)
      if (!settings.anonymous && (await hasResponses(context, survey.id))) return askToAnonymize(request)
    }
    await request.write(async (writing) => {
      if (name !== survey.name) await updateSurvey(writing, survey.id, { name })
      if (worded) await updateStructure(writing, survey.id, worded, Number(formValue(form, 'version')))
      await updateConfiguration(writing, survey.id, change)
    })
    request.flash(worded ? `The settings are saved, the words as version ${version + 1}.` : 'The settings are saved.')
    return { redirect: `${root}edit/settings/` }
  } catch (error) {
    const words = codes.flatMap((code) => [`title.${code}`, `description.${code}`])
    return settingsPage(
      request,
      fieldErrorsOf(request.toProblem(error), ['name', ...words, ...settingFields.map(({ name: own }) => own)]),
    )
  }
}

/** What anonymity erases cannot be brought back, so the whole form waits for a second word. */
const askToAnonymize = (request: SurveyRequest): PageResult =>
  confirmPage(request, {
    title: 'Make this survey anonymous?',
    text: 'Names, e-mail and IP addresses, referrers, invitations and exact times of all responses so far are erased. The answers stay. This cannot be undone.',
    button: 'Erase and make anonymous',
    fields: { ...singleValues(request.form), confirmed: 'anonymous' },
    cancel: { label: 'Cancel', path: `${request.root}edit/settings/` },
  })

const singleValues = (form: FormFields): Record<string, string> =>
  Object.fromEntries(
    Object.keys(form).flatMap((name) => (name === '_csrf' ? [] : [[name, formValue(form, name) ?? '']])),
  )

/**
 * The structure with the title and description of the form, nothing where they are what they were.
 * @throws {Problem} `invalid_request` without any title
 */
function withWords(structure: Structure, codes: readonly string[], form: FormFields): Structure | undefined {
  const title = replaced(structure.title, 'title', codes, form)
  const before = (structure.description ?? {}) as Record<string, string>
  const description = replaced(before, 'description', codes, form)
  if (!title && !description) return undefined
  if (title && !Object.values(title).some((text) => text.trim() !== ''))
    throw problems.invalidField(`title.${codes[0]}`, 'blank')
  return { ...structure, ...(title && { title }), ...(description && { description }) }
}

/** Texts by language with those of the form; nothing where none differs. */
function replaced(
  texts: Readonly<Record<string, string>>,
  name: string,
  codes: readonly string[],
  form: FormFields,
): Record<string, string> | undefined {
  const after = { ...texts }
  for (const code of codes) {
    const typed = formValue(form, `${name}.${code}`)?.replaceAll('\r\n', '\n')
    if (typed === undefined || typed === (texts[code] ?? '')) continue
    if (typed === '') delete after[code]
    else after[code] = typed
  }
  return JSON.stringify(after) === JSON.stringify(texts) ? undefined : after
}
