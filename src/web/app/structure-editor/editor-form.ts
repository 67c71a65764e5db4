import { type Html, html, type Part, textAreaContent } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { t } from '../../i18n/t.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { errorsView } from './errors-view.ts'
import type { StructureError } from './parse-structure-text.ts'

/** The state of the editor. */
export interface Editing {
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
export const editorForm = (request: SurveyRequest, editing: Editing): Html =>
  html`${editing.conflict}<div class="workbench">${request.may('Edit') ? editableView(request, editing) : readOnlyView(editing)}
<section class="card preview" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2>
<iframe name="preview" title="Survey preview" src="${request.root}edit/preview/"></iframe></section></div>`

function editableView(
  { root, csrf }: SurveyRequest,
  { text, version, revision, isDraft, errors, warnings = [], conflict, confirmed, nonce }: Editing,
): Html {
  const described = errors.length > 0 ? 'structure-hint errors' : 'structure-hint'
  const saveButton =
    confirmed === undefined
      ? html`<button class="primary" name="as" value="version">${conflict ? t('Publish my version') : t('Publish')}</button><button class="save-draft" name="as" value="draft">Save draft</button>`
      : html`<input type="hidden" name="confirmed" value="${confirmed}"><button class="primary" name="as" value="version">Publish anyway</button>`
  return html`<form method="post" action="${root}edit/json/" class="card editor-card" id="editor" data-check="${root}edit/json/check/" data-preview="${root}edit/preview/" data-nonce="${nonce}">
${csrfField(csrf)}<input type="hidden" name="version" value="${version}" autocomplete="off"><input type="hidden" name="revision" value="${revision}" autocomplete="off">
${errorsView(errors, warnings)}
<div class="field"><label for="structure" id="structure-label">${labelOf({ version, isDraft })}</label>
<p class="hint" id="structure-hint">The array <code>form</code> contains the pages and their questions. Each question has a type (<code>idname</code>) and a <code>title</code>. The <em>Questions</em> tab shows the same structure. Publishing creates a new version.</p>
<textarea class="box code" id="structure" name="structure" rows="26" spellcheck="false" autocapitalize="off" autocomplete="off" aria-describedby="${described}"${errors.length > 0 && html` aria-invalid="true"`}>
${textAreaContent(text)}</textarea></div>
<div class="actions">${saveButton}<button formaction="${root}edit/preview/" formtarget="preview">Preview</button></div></form>`
}

const labelOf = ({ version, isDraft }: Pick<Editing, 'version' | 'isDraft'>): string =>
  isDraft
    ? t('Structure of the draft based on version {version} (JSON)', { version })
    : t('Structure of version {version} (JSON)', { version })

/** Renders the structure for users who may not edit it. */
const readOnlyView = ({ text, version, isDraft }: Editing): Html =>
  html`<div class="card editor-card"><div class="field"><label for="structure">${labelOf({ version, isDraft })}</label>
<p class="hint" id="structure-hint">Read-only. You need the Edit role to make changes.</p>
<textarea class="box code" id="structure" rows="26" readonly spellcheck="false" aria-describedby="structure-hint">
${textAreaContent(text)}</textarea></div></div>`
