import { problems } from '../../../domain/problem.ts'
import { createSurvey } from '../../../domain/survey/commands.ts'
import { listTemplates } from '../../../domain/survey/templates.ts'
import { html } from '../../../lib/html.ts'
import { exceededJsonLimit, JSON_LIMIT_MESSAGES } from '../../../lib/json-limits.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FieldErrorTexts, type FormErrors, field, fieldErrorsOf, textArea } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { surveyRoot } from './survey-page.ts'

const LIST = '/account/surveys/'
/** Number of templates in the form. */
const MAX_TEMPLATES = 100

export const showNewSurvey = (request: SignedInRequest): Promise<PageResult> => newSurveyPage(request)

async function newSurveyPage(request: SignedInRequest, rejected?: FormErrors): Promise<PageResult> {
  const { context, csrf, form } = request
  const { templates } = await listTemplates(context, { offset: 0, limit: MAX_TEMPLATES })
  const fieldValue = (name: string) => formValue(form, name) ?? ''
  const errors: FieldErrorTexts = rejected?.errors ?? new Map()
  return request.render(
    {
      title: 'New survey',
      content: html`<section class="card">${alert(rejected?.general)}<form method="post" action="${LIST}new/">${csrfField(csrf)}
${field({ name: 'name', label: 'Name', value: fieldValue('name'), hint: `Leave blank to use the title of the ${templates.length > 0 ? 'template or structure' : 'structure'}.`, errors })}
${
  templates.length > 0 &&
  html`<div class="field"><label for="template">Template</label><select class="box" id="template" name="template"><option value="">None</option>${templates.map(
    ({ id, name }) =>
      html`<option value="${id}"${fieldValue('template') === String(id) && html` selected`}>${name}</option>`,
  )}</select></div>`
}
${textArea({ name: 'structure', label: 'Structure', value: fieldValue('structure'), hint: `${templates.length > 0 ? 'JSON. Use this instead of a template, or leave it blank.' : 'JSON. Leave blank to start with an empty survey.'}`, errors })}
<div class="actions"><button class="primary">Create survey</button><a class="button plain" href="${LIST}">Cancel</a></div></form></section>`,
    },
    rejected ? 422 : 200,
  )
}

/**
 * Parses the structure of the form.
 * @throws {Problem} `invalid_request` for invalid JSON
 */
function parseStructureField(text: string): unknown {
  if (!text.trim()) return undefined
  const exceeded = exceededJsonLimit(text)
  if (exceeded) throw problems.invalidField('structure', 'invalid_structure', {}, JSON_LIMIT_MESSAGES[exceeded])
  try {
    return JSON.parse(text)
  } catch (error) {
    throw problems.invalidField('structure', 'invalid_structure', {}, `is not valid JSON: ${(error as Error).message}`)
  }
}

/** Creates a survey from a name, a template or a structure, and opens its editor. */
export async function submitNewSurvey(request: SignedInRequest): Promise<PageResult> {
  const { form } = request
  try {
    const structure = parseStructureField(formValue(form, 'structure') ?? '')
    const template = parseId(formValue(form, 'template')) || undefined
    if (template && structure !== undefined)
      throw problems.invalidField(
        'structure',
        'mutually_exclusive',
        { other: 'template' },
        'cannot be combined with a template',
      )
    const enteredName = (formValue(form, 'name') ?? '').trim()
    const nameNeeded = structure === undefined && template === undefined
    const name = enteredName || nameNeeded ? enteredName : undefined
    const survey = await request.write((context) =>
      createSurvey(context, { name, structure, template, unpublished: true }),
    )
    request.flash(`“${survey.name}” created. Respondents can take it when you publish it.`)
    return { redirect: `${surveyRoot(survey.id)}edit/` }
  } catch (error) {
    return newSurveyPage(request, fieldErrorsOf(request.toProblem(error), ['name', 'structure']))
  }
}
