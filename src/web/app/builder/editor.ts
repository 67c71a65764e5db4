import { randomBytes } from 'node:crypto'
import { Problem } from '../../../domain/problem.ts'
import { numberStructure } from '../../../domain/structure/numbering.ts'
import { normaliseStructure } from '../../../domain/structure/structure.ts'
import { updateStructure } from '../../../domain/survey/commands.ts'
import { findCurrentVersion } from '../../../domain/survey/versions.ts'
import { denyFraming } from '../../csp.ts'
import { formValue } from '../../forms/form-fields.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { conflictView } from './conflict-view.ts'
import { type Editing, editorForm } from './editor-form.ts'
import { editMenu } from './menu.ts'
import { formatStructure, parseStructureText, warningsIn } from './parse-structure-text.ts'
import { confirmationOf, removalWarningsView } from './removal-warnings-view.ts'

/** Shows the structure of a survey as text, read-only for the Test role. */
export async function showStructure(request: SurveyRequest): Promise<PageResult> {
  const { version, structure } = await findCurrentVersion(request.context, request.survey.id)
  const text = formatStructure(structure)
  return editorPage(request, {
    text,
    version,
    errors: [],
    warnings: warningsIn({ authored: structure, errors: [] }, text),
  })
}

/** Renders the editor with a text, which may differ from the stored one. */
function editorPage(request: SurveyRequest, editing: Omit<Editing, 'nonce'>, status = 200): PageResult {
  const nonce = allowNonceStyles(request)
  return request.render(
    {
      title: 'Structure',
      action: editMenu(request, 'structure'),
      scripts: ['editor.js'],
      content: editorForm(request, { ...editing, nonce }),
    },
    status,
  )
}

/** Allows the style rules that the code editor inserts: those with the nonce, and no others (CSP3, 7.1). */
function allowNonceStyles({ ctx }: SurveyRequest): string {
  const nonce = randomBytes(16).toString('base64')
  denyFraming(ctx, { 'style-src': ["'self'", `'nonce-${nonce}'`] })
  return nonce
}

/** Saves the text as the next version. With errors, nothing is saved and the text is shown again. */
export async function saveStructure(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form, root } = request
  const text = (formValue(form, 'structure') ?? '').replaceAll('\r\n', '\n')
  const from = Number(formValue(form, 'version'))
  const parsed = parseStructureText(text)
  const { authored, errors } = parsed
  if (errors.length > 0)
    return editorPage(request, { text, version: from, errors, warnings: warningsIn(parsed, text) }, 422)
  const current = await findCurrentVersion(context, survey.id)
  const numbered = numberStructure(normaliseStructure(authored), current)
  if (JSON.stringify(numbered.structure) === JSON.stringify(current.structure)) {
    request.flash(`No changes to save. Version ${current.version} is identical.`)
    return { redirect: `${root}edit/` }
  }
  const removals =
    from === current.version ? await context.services.removalWarnings(context, survey.id, current, numbered) : []
  const confirmed = confirmationOf(removals)
  if (removals.length > 0 && formValue(form, 'confirmed') !== confirmed)
    return editorPage(
      request,
      { text, version: from, errors: [], conflict: removalWarningsView(removals), confirmed },
      409,
    )
  try {
    const { version, warnings } = await request.write((writing) => updateStructure(writing, survey.id, authored, from))
    request.flash(`Version ${version} saved.${warnings.length > 0 ? ' See the warnings below.' : ''}`)
    return { redirect: `${root}edit/` }
  } catch (error) {
    const problem = request.toProblem(error)
    if (!(problem instanceof Problem) || problem.code !== 'structure_changed') throw error
    const newest = await findCurrentVersion(context, survey.id)
    const conflict = await conflictView(
      request,
      newest,
      from,
      numberStructure(normaliseStructure(authored), newest).structure,
    )
    return editorPage(request, { text, version: newest.version, errors: [], conflict }, 409)
  }
}
