import { hasAnswerableQuestion } from '../../../domain/structure/publishing/texts.ts'
import type { Draft } from '../../../domain/survey/working-copy.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { restoredText } from '../../i18n/stored-text.ts'
import { t } from '../../i18n/t.ts'
import { timeTag } from '../../layout/time-tag.ts'
import type { Builder } from './show.ts'

/** Renders the state of the draft, with buttons to undo, redo, discard and publish it. */
export function draftBar(builder: Builder): Html {
  const { copy, root, path, csrf, editable, unpublished } = builder
  const { draft, changed } = copy
  // Publishing a survey for the first time also opens it. A survey without questions is never published.
  const isPublishable = hasAnswerableQuestion(copy.structure) && (unpublished || changed)
  return html`<section class="card draft-bar" aria-label="Draft"><div class="draft-state" role="status" id="draft-state">${stateOf(builder)}</div>${
    editable &&
    html`<div class="card-actions"><form method="post" action="${path}">${csrfField(csrf)}<button class="quiet small" name="do" value="undo"${draft?.undo === undefined && html` disabled`}>Undo${
      draft?.undo !== undefined && html`<span class="hidden">: ${restoredText(draft.undo)}</span>`
    }</button><button class="quiet small" name="do" value="redo"${draft?.redo === undefined && html` disabled`}>Redo${
      draft?.redo !== undefined && html`<span class="hidden">: ${restoredText(draft.redo)}</span>`
    }</button></form>${changed && html`<a class="button quiet small" href="${root}edit/discard/">Discard…</a>`}<a class="button quiet small" href="${root}edit/check/">Check</a><a class="button quiet small" href="${root}edit/rehearsal/">Rehearse</a><form method="post" action="${root}edit/publish/">${csrfField(csrf)}<input type="hidden" name="revision" value="${copy.revision}"><button class="primary small"${!isPublishable && html` disabled`}>${unpublished ? t('Publish and open') : t('Publish')}</button></form></div>`
  }</section>`
}

const savedBy = (draft: Draft | undefined): Part =>
  draft?.author !== undefined && html` Last saved by ${draft.author}, ${timeTag(draft.updatedAt)}.`

function stateOf({ unpublished, copy: { draft, changed, published } }: Builder): Part {
  if (unpublished)
    return html`<strong>Not published yet.</strong> <span class="soft">Respondents cannot take this survey.${savedBy(draft)}</span>`
  if (!changed || !draft)
    return html`<strong>All changes are published.</strong> <span class="soft">Version ${published.version}.</span>`
  const outdated = draft.baseVersion !== published.version
  return html`<strong>Unpublished changes.</strong> <span class="soft">Respondents see version ${published.version}.${savedBy(draft)}</span>${
    outdated &&
    html`<p class="warning">These changes are based on version ${draft.baseVersion}. Version ${published.version} has been published since.</p>`
  }`
}
