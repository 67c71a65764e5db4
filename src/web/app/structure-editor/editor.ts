import { randomBytes } from 'node:crypto'
import { Problem } from '../../../domain/problem.ts'
import { type NumberedStructure, numberStructure } from '../../../domain/structure/numbering.ts'
import { stopsPublishing } from '../../../domain/structure/publishing/findings.ts'
import { normaliseStructure } from '../../../domain/structure/structure.ts'
import { checkBeforePublishing, publishStructure, saveDraft } from '../../../domain/survey/drafts.ts'
import { findCurrentVersion } from '../../../domain/survey/versions.ts'
import { findWorkingCopy, type WorkingCopy } from '../../../domain/survey/working-copy.ts'
import { type Html, html, type Part, textAreaContent } from '../../../lib/html.ts'
import { nextTurn } from '../../../lib/next-turn.ts'
import { denyFraming } from '../../csp.ts'
import { csrfField } from '../../csrf.ts'
import { alert } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { problemText } from '../../i18n/error-texts.ts'
import { t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/format.ts'
import type { PageResult } from '../../page.ts'
import { editMenu } from '../builder/menu.ts'
import { listOf } from '../builder/publish.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { confirmationOf, conflictView, removalWarningsView } from './conflict-view.ts'
import { formatStructure, parseStructureText, type StructureError, warningsIn } from './parse-structure-text.ts'

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
      side: editMenu(request, 'json'),
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
  const nonce = randomBytes(16).toString('base64url')
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
    if (!(problem instanceof Problem)) throw error
    if (problem.code === 'approval_required')
      return editorPage(request, { ...edited, errors: [], conflict: alert(problemText(problem)) }, 409)
    if (problem.code !== 'structure_changed') throw error
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
  return html`<section class="card" aria-labelledby="stopping">
    <div class="alert" role="alert" tabindex="-1" autofocus>
      <h2 id="stopping">Fix before you publish</h2>
      ${listOf({ root, structure: numbered.structure }, findings)}
    </div>
  </section>`
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

/** The state of the editor. */
interface Editing {
  text: string
  /** The published version. */
  version: number
  /** Identifies the stored draft or version that the user edits. */
  revision: string
  /** Whether the text is a draft. */
  isDraft: boolean
  errors: readonly StructureError[]
  /** Probable mistakes, which do not prevent saving. */
  warnings?: readonly StructureError[]
  /**
   * An alert above the editor: a conflict with a change by someone else, or a request to confirm changes that affect
   * stored answers.
   */
  conflict?: Part
  /**
   * The value of the hidden field that confirms the changes listed in `conflict`. Undefined if `conflict` requests no
   * confirmation.
   */
  confirmed?: string
  /** The CSP nonce for style rules of the editor script. */
  nonce: string
}

/** Renders the structure beside its preview. The script replaces the text area with a code editor. */
const editorForm = (request: SurveyRequest, editing: Editing): Html =>
  html`
    ${editing.conflict}
    <div class="workbench">
      ${request.may('Edit') ? editableView(request, editing) : readOnlyView(editing)}
      <section class="card preview" aria-labelledby="preview-title">
        <h2 id="preview-title">Preview</h2>
        <iframe name="preview" title="Survey preview" src="${request.root}edit/preview/"></iframe>
      </section>
    </div>`

function editableView(
  { root, csrf }: SurveyRequest,
  { text, version, revision, isDraft, errors, warnings = [], conflict, confirmed, nonce }: Editing,
): Html {
  const described = errors.length > 0 ? 'structure-hint errors' : 'structure-hint'
  const saveButton =
    confirmed === undefined
      ? html`
        <button class="primary" name="as" value="version">${conflict ? t('Publish my version') : t('Publish')}</button>
        <button class="save-draft" name="as" value="draft">Save draft</button>`
      : html`
        <input type="hidden" name="confirmed" value="${confirmed}">
        <button class="primary" name="as" value="version">Publish anyway</button>`
  return html`<form method="post" action="${root}edit/json/" class="card editor-card" id="editor"
      data-check="${root}edit/json/check/" data-preview="${root}edit/preview/" data-nonce="${nonce}">
    ${csrfField(csrf)}
    <input type="hidden" name="version" value="${version}" autocomplete="off">
    <input type="hidden" name="revision" value="${revision}" autocomplete="off">
    ${errorsView(errors, warnings)}
    <div class="field">
      <label for="structure" id="structure-label">${labelOf({ version, isDraft })}</label>
      <p class="hint" id="structure-hint">
        The array <code>form</code> contains the pages and their questions. Each question has a type
        (<code>idname</code>) and a <code>title</code>. The <em>Questions</em> tab shows the same structure. Publishing
        creates a new version.
      </p>
      <textarea class="box code" id="structure" name="structure" rows="26" spellcheck="false" autocapitalize="off"
          autocomplete="off" aria-describedby="${described}"${errors.length > 0 && html` aria-invalid="true"`}>
${textAreaContent(text)}</textarea>
    </div>
    <div class="actions">
      ${saveButton}
      <button formaction="${root}edit/preview/" formtarget="preview">Preview</button>
    </div>
  </form>`
}

const labelOf = ({ version, isDraft }: Pick<Editing, 'version' | 'isDraft'>): string =>
  isDraft
    ? t('Structure of the draft based on version {version} (JSON)', { version })
    : t('Structure of version {version} (JSON)', { version })

/** Renders the structure for users who may not edit it. */
const readOnlyView = ({ text, version, isDraft }: Editing): Html =>
  html`<div class="card editor-card">
    <div class="field">
      <label for="structure">${labelOf({ version, isDraft })}</label>
      <p class="hint" id="structure-hint">Read-only. You need the Edit role to make changes.</p>
      <textarea class="box code" id="structure" rows="26" readonly spellcheck="false" aria-describedby="structure-hint">
${textAreaContent(text)}</textarea>
    </div>
  </div>`

/**
 * Renders the lists of errors and warnings. If there are no errors, the list of errors is hidden, and the script can
 * fill it later.
 */
function errorsView(errors: readonly StructureError[], warnings: readonly StructureError[]): Part {
  const heading = t('Nothing was saved. {errors} found.', { errors: pluralize(errors.length, 'error') })
  return html`
    <div class="summary errors" id="errors"
        role="alert"${errors.length > 0 ? html` tabindex="-1" autofocus` : html` hidden`}>
      <h2>${heading}</h2>
      ${errorList(errors)}
    </div>
    ${
      warnings.length > 0 &&
      html`<div class="notice errors" id="warnings">
        <h2>${pluralize(warnings.length, 'warning')}</h2>
        ${errorList(warnings)}
      </div>`
    }`
}

const errorList = (errors: readonly StructureError[]): Part =>
  html`<ul>
    ${errors.map(
      ({ line, pointer, message }) =>
        html`<li>
          <strong>Line ${line}</strong>
          ${pointer !== undefined && pointer !== '' && html` <code>${pointer}</code>`} ${message}
        </li>`,
    )}
  </ul>`

/** The reply to the editor script: errors and warnings of an unsaved text. */
interface Checked {
  errors: StructureError[]
  /** Warnings, which do not prevent saving. */
  warnings: StructureError[]
  /**
   * The current version. If it is newer than the version that the editor shows, someone else has saved a version
   * meanwhile.
   */
  version: number
}

/** Checks a text with the same rules that apply when a text is saved. Stores nothing. */
export async function checkStructure({ context, survey, form }: SurveyRequest): Promise<PageResult> {
  const text = formValue(form, 'structure') ?? ''
  const parsed = parseStructureText(text)
  const { version } = await findCurrentVersion(context, survey.id)
  await nextTurn()
  return { json: { errors: parsed.errors, warnings: warningsIn(parsed, text), version } satisfies Checked }
}
