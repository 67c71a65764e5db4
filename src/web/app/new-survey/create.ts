import { detail } from '../../../domain/error-details.ts'
import { problems } from '../../../domain/problem.ts'
import { duplicateSurvey } from '../../../domain/report/duplicate-survey.ts'
import { createSurvey, type NewSurvey } from '../../../domain/survey/commands.ts'
import type { Survey } from '../../../domain/survey/survey.ts'
import { exceededJsonLimit, MAX_DEPTH, MAX_VALUES, syntaxErrorsOf } from '../../../lib/json.ts'
import { fieldErrorsOf } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { surveyRoot } from '../surveys/survey-page.ts'
import { importPage } from './import.ts'
import { newSurveyPage } from './show.ts'

/**
 * Creates a survey from a submitted form, and opens the survey in the builder. The new survey is blank, or based on a
 * template or on an entered structure. Respondents cannot take the survey until it is published.
 */
export async function submitNewSurvey(request: SignedInRequest): Promise<PageResult> {
  const { form } = request
  try {
    const structure = parseStructureField(formValue(form, 'structure') ?? '')
    if (structure === undefined && form.structure !== undefined) throw problems.invalidField('structure', 'blank')
    const template = parseId(formValue(form, 'template')) || undefined
    const galleryTemplate = formValue(form, 'gallery_template')
    const enteredName = (formValue(form, 'name') ?? '').trim()
    const isNameNeeded = structure === undefined && template === undefined && galleryTemplate === undefined
    const name = enteredName || isNameNeeded ? enteredName : undefined
    return await createAndEdit(request, { name, structure, template, galleryTemplate, language: pageLanguage() })
  } catch (error) {
    const rejected = fieldErrorsOf(request.toProblem(error), ['name', 'structure'])
    return form.structure === undefined ? newSurveyPage(request, rejected) : importPage(request, rejected)
  }
}

/** Creates an unpublished survey and opens it in the builder. */
export async function createAndEdit(request: SignedInRequest, draft: NewSurvey): Promise<PageResult> {
  return edit(request, await request.write((context) => createSurvey(context, { ...draft, unpublished: true })))
}

/** Copies a survey and opens the copy in the builder. */
export async function copyToNewSurvey(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(formValue(request.form, 'survey'))
  return edit(request, await request.write((context) => duplicateSurvey(context, id, undefined, true)))
}

function edit(request: SignedInRequest, { id, name }: Pick<Survey, 'id' | 'name'>): PageResult {
  request.flash(t('“{name}” created. Respondents can take it after you publish it.', { name }))
  return { redirect: `${surveyRoot(id)}edit/` }
}

/**
 * Parses the form field that contains a structure as JSON.
 * @returns undefined if the field is blank
 * @throws {Problem} `invalid_request` for invalid JSON, and for JSON with too many levels or values
 */
export function parseStructureField(text: string): unknown {
  if (!text.trim()) return undefined
  const exceeded = exceededJsonLimit(text)
  if (exceeded)
    throw problems.invalidField(
      'structure',
      'invalid_structure',
      {},
      detail(exceeded === 'depth' ? 'json_depth' : 'json_values', {
        max: (exceeded === 'depth' ? MAX_DEPTH : MAX_VALUES).toLocaleString(pageLanguage()),
      }),
    )
  try {
    return JSON.parse(text)
  } catch {
    const [error] = syntaxErrorsOf(text)
    throw problems.invalidField('structure', 'invalid_structure', {}, detail('not_json', { line: error?.line ?? 1 }))
  }
}
