import { diffStructures, type StructureDiff } from '../../../domain/structure/diff.ts'
import { titleOf } from '../../../domain/structure/structure.ts'
import { findCurrentVersion, findVersion, type VersionDetails } from '../../../domain/survey/versions.ts'
import { html, type Part } from '../../../lib/html.ts'
import { diffLines } from '../../../lib/line-diff.ts'
import { t } from '../../i18n/t.ts'
import { timeTag } from '../../layout/time-tag.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import { editMenu } from '../builder/menu.ts'
import { formatStructure } from '../structure-editor/parse-structure-text.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { diffView } from './diff-view.ts'

/** Shows a version, with links with which users compare and restore it. */
export async function showVersion(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, params, root } = request
  const details = await findVersion(context, survey.id, parseId(params.version))
  const { version, createdAt, isCurrent, structure } = details
  const { version: current } = await findCurrentVersion(context, survey.id)
  return request.render({
    title: t('Version {version}', { version }),
    action: editMenu(request, 'versions', true),
    content: html`<section class="card"><p>“${titleOf(structure)}”, saved on ${timeTag(createdAt)}${isCurrent && html` <span class="tag">current</span>`}</p>
${
  current > 1 &&
  html`<form method="get" action="${root}edit/versions/diff/" class="search compare"><input type="hidden" name="from" value="${version}">
<label for="to">Compare with version</label><input class="box" id="to" name="to" type="number" min="1" max="${current}" value="${isCurrent ? version - 1 : current}" required><button>Compare</button></form>`
}
<div class="field below"><label for="structure">Structure (JSON)</label><textarea class="box code" id="structure" rows="26" readonly spellcheck="false">
${formatStructure(structure)}</textarea></div>
${!isCurrent && html`<div class="actions"><a class="button" href="${root}edit/versions/${version}/restore/">Restore…</a></div>`}</section>`,
  })
}

/** Shows the differences between two versions: the changed questions, then the changed lines. */
export async function compareVersions(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, query } = request
  const find = (name: string) => findVersion(context, survey.id, parseId(query.get(name) ?? undefined))
  const [from, to] = [await find('from'), await find('to')]
  const names = {
    from: t('version {version}', { version: from.version }),
    to: t('version {version}', { version: to.version }),
  }
  return request.render({
    title: t('Changes from version {version} to {version2}', { version: from.version, version2: to.version }),
    action: editMenu(request, 'versions', true),
    content: html`<section class="card" aria-labelledby="questions"><h2 id="questions">Changes by question</h2>${questionsView(diffStructures(from.structure, to.structure), from, to)}</section>
<section class="card" aria-labelledby="lines"><h2 id="lines">Changes by line</h2>${diffView(diffLines(formatStructure(from.structure), formatStructure(to.structure)), names)}</section>`,
  })
}

function questionsView({ questions, choices }: StructureDiff, from: VersionDetails, to: VersionDetails): Part {
  const name = (id: string) => html`<strong>${titleIn(to, id) ?? titleIn(from, id) ?? id}</strong>`
  const lines = [
    ...questions.added.map(({ id, page }) => html`<li>Added on page ${page}: ${name(id)}</li>`),
    ...questions.removed.map(({ id, page }) => html`<li>Removed from page ${page}: ${name(id)}</li>`),
    ...questions.changed.map(
      ({ id, changes }) => html`<li>Changed: ${name(id)} (${changes.map(({ member }) => member).join(', ')})</li>`,
    ),
    ...choices.added.map(({ question, index }) => html`<li>Choice ${index + 1} added to ${name(question)}</li>`),
    ...choices.removed.map(({ question, index }) => html`<li>Choice ${index + 1} removed from ${name(question)}</li>`),
    ...choices.changed.map(({ question, index }) => html`<li>Choice ${index + 1} changed in ${name(question)}</li>`),
  ]
  return lines.length === 0 ? html`<p class="soft">No questions changed.</p>` : html`<ul class="changes">${lines}</ul>`
}

/** Returns the title of a question in the survey's default language, or else in any language. */
function titleIn({ structure }: VersionDetails, id: string): string | undefined {
  const question = structure.form.flatMap(({ children }) => children).find((one) => one.id === id)
  const code = structure.languages.find(({ isDefault }) => isDefault)?.code ?? 'en'
  return question?.title?.[code] || Object.values(question?.title ?? {}).find((text) => text)
}
