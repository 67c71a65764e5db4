import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { errorsView } from './errors-view.ts'
import type { StructureFault } from './read-structure.ts'

/** A structure while it is edited. */
export interface Editing {
  text: string
  /** The version that is changed. */
  version: number
  errors: readonly StructureFault[]
  /** What is hardly meant, listed beside the errors; it does not keep the text from being saved. */
  warnings?: readonly StructureFault[]
  /** What is said when somebody else has saved in the meantime. */
  conflict?: Part
  /** What the button sends where the author has to confirm something, said in `conflict`. */
  confirmed?: string
  /** Lets the rules of style in that the script's editor writes. */
  nonce: string
}

/** The text with the preview beside it. Everything works without the script, which puts a better editor in the text's place. */
export const editorForm = (request: SurveyRequest, editing: Editing): Html =>
  html`${editing.conflict}<div class="workbench">${request.may('Edit') ? writing(request, editing) : reading(editing)}
<section class="card preview" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2>
<iframe name="preview" title="The survey as respondents see it" src="${request.root}edit/preview/"></iframe></section></div>`

function writing(
  { root, csrf }: SurveyRequest,
  { text, version, errors, warnings = [], conflict, confirmed, nonce }: Editing,
): Html {
  const described = errors.length > 0 ? 'structure-hint errors' : 'structure-hint'
  const saveButton =
    confirmed === undefined
      ? html`<button class="primary">${conflict ? 'Save mine' : 'Save'}</button>`
      : html`<button class="primary" name="confirmed" value="${confirmed}">Save all the same</button>`
  return html`<form method="post" action="${root}edit/" class="card writing" id="editor" data-check="${root}edit/check/" data-preview="${root}edit/preview/" data-nonce="${nonce}">
${csrfField(csrf)}<input type="hidden" name="version" value="${version}" autocomplete="off">
${errorsView(errors, warnings)}
<div class="field"><label for="structure" id="structure-label">Structure of version ${version} (JSON)</label>
<p class="hint" id="structure-hint">Pages of questions: each question has an <code>idname</code>, which says of what type it is, and a <code>title</code>. Saving makes a new version.</p>
<textarea class="box code" id="structure" name="structure" rows="26" spellcheck="false" autocapitalize="off" autocomplete="off" aria-describedby="${described}"${errors.length > 0 && html` aria-invalid="true"`}>
${text}</textarea></div>
<div class="actions">${saveButton}<button formaction="${root}edit/preview/" formtarget="preview">Preview</button></div></form>`
}

/** For those who may look at it, and not change it. */
const reading = ({ text, version }: Editing): Html =>
  html`<div class="card writing"><div class="field"><label for="structure">Structure of version ${version} (JSON)</label>
<p class="hint" id="structure-hint">You may look at it. Changing it takes the role Edit.</p>
<textarea class="box code" id="structure" rows="26" readonly spellcheck="false" aria-describedby="structure-hint">
${text}</textarea></div></div>`
