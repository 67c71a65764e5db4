import { randomBytes } from 'node:crypto'
import { Problem } from '../../../domain/problem.ts'
import { numberStructure } from '../../../domain/structure/numbering.ts'
import { normaliseStructure } from '../../../domain/structure/structure.ts'
import { updateStructure } from '../../../domain/survey/commands.ts'
import { findCurrentVersion } from '../../../domain/survey/versions.ts'
import { denyFraming } from '../../csp.ts'
import { formValue } from '../../forms/form-fields.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { conflictView } from './conflict.ts'
import { type Editing, editorForm } from './editor-form.ts'
import { editMenu } from './menu.ts'
import { formatStructure, parseStructureText, warningsIn } from './read-structure.ts'
import { confirmationOf, removalWarningsView } from './removal-warnings.ts'

/** The structure of a survey as text, to be changed; only to be looked at with the role Test. */
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

/** The page with a text in it, which need not be the one that is stored. */
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

/** Saves what was typed as the next version; with a fault nothing is saved and nothing is lost. */
export async function saveStructure(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form, root } = request
  const text = (formValue(form, 'structure') ?? '').replaceAll('\r\n', '\n')
  const from = Number(formValue(form, 'version'))
  const reading = parseStructureText(text)
  const { authored, errors } = reading
  if (errors.length > 0)
    return editorPage(request, { text, version: from, errors, warnings: warningsIn(reading, text) }, 422)
  const current = await findCurrentVersion(context, survey.id)
  const numbered = numberStructure(normaliseStructure(authored), current)
  if (JSON.stringify(numbered.structure) === JSON.stringify(current.structure)) {
    request.flash(`Nothing was changed: version ${current.version} says the same.`)
    return { redirect: `${root}edit/` }
  }
  const losses =
    from === current.version ? await context.services.removalWarnings(context, survey.id, current, numbered) : []
  const confirmed = confirmationOf(losses)
  if (losses.length > 0 && formValue(form, 'confirmed') !== confirmed)
    return editorPage(
      request,
      { text, version: from, errors: [], conflict: removalWarningsView(losses), confirmed },
      409,
    )
  try {
    const { version, warnings } = await request.write((writing) => updateStructure(writing, survey.id, authored, from))
    request.flash(`Version ${version} is saved.${warnings.length > 0 ? ' Look at the warnings below.' : ''}`)
    return { redirect: `${root}edit/` }
  } catch (error) {
    const known = request.toProblem(error)
    if (!(known instanceof Problem) || known.code !== 'structure_changed') throw error
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
