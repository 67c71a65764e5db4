import { randomBytes } from 'node:crypto'
import { Problem } from '../../../domain/problem.ts'
import { type NumberedStructure, numberStructure } from '../../../domain/structure/numbering.ts'
import { stopsPublishing } from '../../../domain/structure/publishing/findings.ts'
import { normaliseStructure } from '../../../domain/structure/structure.ts'
import { checkBeforePublishing, publishStructure, saveDraft } from '../../../domain/survey/drafts.ts'
import { findWorkingCopy, type WorkingCopy } from '../../../domain/survey/working-copy.ts'
import { type Html, html } from '../../../lib/html.ts'
import { denyFraming } from '../../csp.ts'
import { formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import { listOf } from '../builder/findings-view.ts'
import { editMenu } from '../builder/menu.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { conflictView } from './conflict-view.ts'
import { type Editing, editorForm } from './editor-form.ts'
import { formatStructure, parseStructureText, warningsIn } from './parse-structure-text.ts'
import { confirmationOf, removalWarningsView } from './removal-warnings-view.ts'

/**
 * Shows the draft of a survey as text, or the published structure if there is no draft. The text is read-only for users
 * with only the Test role.
 */
export async function showStructure(request: SurveyRequest): Promise<PageResult> {
  const copy = await findWorkingCopy(request.context, request.survey.id)
  const text = formatStructure(copy.structure)
  const warnings = warningsIn({ authored: copy.structure, errors: [] }, text)
  return editorPage(request, { ...editedIn(copy), text, errors: [], warnings })
}

/**
 * Returns the data of the editor that identifies the structure being edited: the version, the revision, and whether it
 * is a draft.
 */
const editedIn = ({ draft, published, changed, revision }: WorkingCopy) => ({
  version: draft?.baseVersion ?? published.version,
  revision,
  isDraft: changed,
})

/** Renders the editor with a text, which may differ from the stored text. */
function editorPage(request: SurveyRequest, editing: Omit<Editing, 'nonce'>, status = 200): PageResult {
  const nonce = allowNonceStyles(request)
  return request.render(
    {
      title: t('Structure'),
      action: editMenu(request, 'json'),
      scripts: ['editor.js'],
      content: editorForm(request, { ...editing, nonce }),
    },
    status,
  )
}

/**
 * Allows inline style rules only if they have the nonce (CSP3, 7.1). The script gives the nonce to the style rules of
 * the code editor.
 */
function allowNonceStyles({ ctx }: SurveyRequest): string {
  const nonce = randomBytes(16).toString('base64')
  denyFraming(ctx, { 'style-src': ["'self'", `'nonce-${nonce}'`] })
  return nonce
}

/**
 * Saves the text as the draft or as the next version. If the text has errors, nothing is saved and the text is shown
 * again.
 */
export async function saveStructure(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form, root } = request
  const text = (formValue(form, 'structure') ?? '').replaceAll('\r\n', '\n')
  const from = Number(formValue(form, 'version'))
  const parsed = parseStructureText(text)
  const { authored, errors } = parsed
  const current = await findWorkingCopy(context, survey.id)
  const { published } = current
  const revision = formValue(form, 'revision')
  const edited = { ...editedIn(current), version: from, ...(revision !== undefined && { revision }), text }
  if (errors.length > 0) return editorPage(request, { ...edited, errors, warnings: warningsIn(parsed, text) }, 422)
  try {
    if (formValue(form, 'as') === 'draft') {
      const { warnings } = await request.write((writing) => saveDraft(writing, survey.id, authored, revision))
      request.flash(t('Draft saved.{value}', { value: warnings.length > 0 ? t(' See the warnings below.') : '' }))
      return { redirect: `${root}edit/json/` }
    }
    const numbered = numberStructure(normaliseStructure(authored), current)
    if (
      !survey.unpublished &&
      !current.changed &&
      JSON.stringify(numbered.structure) === JSON.stringify(published.structure)
    ) {
      request.flash(t('No changes to publish. Version {version} is identical.', { version: published.version }))
      return { redirect: `${root}edit/json/` }
    }
    const unfinished = request.may('Edit') && (await stoppingFindings(request, numbered, published))
    if (unfinished) return editorPage(request, { ...edited, errors: [], conflict: unfinished }, 409)
    const removals =
      from === published.version ? await context.services.removalWarnings(context, survey.id, published, numbered) : []
    const confirmed = confirmationOf(removals)
    if (removals.length > 0 && formValue(form, 'confirmed') !== confirmed)
      return editorPage(request, { ...edited, errors: [], conflict: removalWarningsView(removals), confirmed }, 409)
    const { version, warnings, opened } = await request.write((writing) =>
      publishStructure(writing, survey.id, numbered.structure, from, revision),
    )
    request.flash(
      t('Version {version} published.{value}{value2}', {
        version,
        value: opened ? t(' The survey is now open.') : '',
        value2: warnings.length > 0 ? t(' See the warnings below.') : '',
      }),
    )
    return { redirect: `${root}edit/json/` }
  } catch (error) {
    const problem = request.toProblem(error)
    if (!(problem instanceof Problem) || problem.code !== 'structure_changed') throw error
    return conflictPage(request, from, authored, text)
  }
}

/** Renders the findings that stop publishing, if there are any. */
async function stoppingFindings(
  { context, survey, root }: SurveyRequest,
  numbered: NumberedStructure,
  published: NumberedStructure,
): Promise<Html | undefined> {
  const check = await checkBeforePublishing(context, survey.id, numbered, published)
  const findings = check.findings.filter(stopsPublishing)
  if (findings.length === 0) return undefined
  return html`<section class="card" aria-labelledby="stopping"><div class="alert" role="alert" tabindex="-1" autofocus><h2 id="stopping">Fix before you publish</h2>${listOf({ root, structure: numbered.structure }, findings)}</div></section>`
}

/** Shows the submitted text, below an alert about the draft or version that someone else saved meanwhile. */
async function conflictPage(
  request: SurveyRequest,
  from: number,
  authored: unknown,
  text: string,
): Promise<PageResult> {
  const newest = await findWorkingCopy(request.context, request.survey.id)
  const mine = numberStructure(normaliseStructure(authored), newest).structure
  const conflict = await conflictView(request, newest, from, mine)
  const edited = { ...editedIn(newest), version: newest.published.version }
  return editorPage(request, { ...edited, text, errors: [], conflict }, 409)
}
