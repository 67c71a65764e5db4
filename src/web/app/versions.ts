import { type ChangeSummary, diffStructures, type StructureDiff } from '../../domain/structure/diff.ts'
import { hasAnswerableQuestion } from '../../domain/structure/publishing/texts.ts'
import { titleOf } from '../../domain/structure/structure.ts'
import {
  findCurrentVersion,
  findVersion,
  listVersionHistory,
  restoreVersion,
  type VersionDetails,
  type VersionHistoryEntry,
} from '../../domain/survey/versions.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { type DiffLine, diffLines } from '../../lib/line-diff.ts'
import { pageOf } from '../../lib/paging.ts'
import { csrfField } from '../csrf.ts'
import { pageLanguage } from '../i18n/page-locale.ts'
import { perLanguage, t } from '../i18n/t.ts'
import { capitalize, pluralize, timeTag } from '../layout/format.ts'
import { pager } from '../layout/parts.ts'
import type { PageResult } from '../page.ts'
import { parseId } from '../session.ts'
import { editMenu } from './builder/menu.ts'
import { formatStructure } from './structure-editor/parse-structure-text.ts'
import type { SurveyRequest } from './surveys/survey-page.ts'

const PAGE_SIZE = 20

/** Lists the versions of the structure, newest first, with author, time and changes. */
export async function showVersions(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, query, root } = request
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, versions } = await listVersionHistory(context, survey.id, page)
  return request.render({
    title: t('Versions'),
    side: editMenu(request, 'versions'),
    content: html`
      <p class="soft">
        Publishing the survey creates a version. Restoring an old version creates a new version with the same content.
      </p>
      <section class="card">
        <ul class="rows versions">${versions.map((entry) => versionRow(entry, `${root}edit/versions/`))}</ul>
      </section>
      ${pager({ number: page.number, total, size: PAGE_SIZE, path: (number) => `?page=${number}` })}`,
  })
}

const PARTS: () => Readonly<Record<ChangeSummary['parts'][number], string>> = perLanguage(() => ({
  title: t('title changed'),
  description: t('description changed'),
  languages: t('languages changed'),
  quotas: t('quotas changed'),
  pages: t('pages changed'),
  others: t('other parts of the structure changed'),
  order: t('order of the questions changed'),
}))

/** Returns a summary of changes as text, such as “2 questions added, title changed”. */
function changeText({ added, removed, changed, parts }: ChangeSummary): string {
  const texts = [
    added > 0 && t('{questions} added', { questions: pluralize(added, 'question') }),
    removed > 0 && t('{questions} removed', { questions: pluralize(removed, 'question') }),
    changed > 0 && t('{questions} changed', { questions: pluralize(changed, 'question') }),
    ...parts.map((part) => PARTS()[part]),
  ].filter((text) => text !== false)
  return texts.join(', ') || t('nothing changed')
}

function versionRow({ version, username, createdAt, isCurrent, change }: VersionHistoryEntry, root: string): Part {
  const labelFor = (what: string) => html` aria-label="${what} version ${version}"`
  return html`<li>
    <div>
      <h2>
        <a href="${root}${version}/">Version ${version}</a>
        ${isCurrent && html` <span class="tag">current</span>`}
      </h2>
      <p>${change === undefined ? t('First version') : capitalize(changeText(change))}</p>
      <p class="soft">${username}, ${timeTag(createdAt)}</p>
    </div>
    <div class="row-actions">
      ${
        version > 1 &&
        html`<a class="button quiet small"
            href="${root}diff/?from=${version - 1}&amp;to=${version}"${labelFor(t('Show changes in'))}>Show changes</a>`
      }
      ${
        !isCurrent &&
        html`<a class="button quiet small" href="${root}${version}/restore/"${labelFor(t('Restore'))}>Restore…</a>`
      }
    </div>
  </li>`
}

/** Shows a version, with links with which users compare and restore it. */
export async function showVersion(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, params, root } = request
  const details = await findVersion(context, survey.id, parseId(params.version))
  const { version, createdAt, isCurrent, structure } = details
  const { version: current } = await findCurrentVersion(context, survey.id)
  return request.render({
    title: t('Version {version}', { version }),
    side: editMenu(request, 'versions', true),
    content: html`<section class="card">
      <p>
        “${titleOf(structure)}”, saved on ${timeTag(createdAt)}
        ${isCurrent && html` <span class="tag">current</span>`}
      </p>
      ${
        current > 1 &&
        html`<form method="get" action="${root}edit/versions/diff/" class="search compare">
          <input type="hidden" name="from" value="${version}">
          <label for="to">Compare with version</label>
          <input class="box" id="to" name="to" type="number" min="1" max="${current}"
              value="${isCurrent ? version - 1 : current}" required>
          <button>Compare</button>
        </form>`
      }
      <div class="field below">
        <label for="structure">Structure (JSON)</label>
        <textarea class="box code" id="structure" rows="26" readonly spellcheck="false">
${formatStructure(structure)}</textarea>
      </div>
      ${
        !isCurrent &&
        html`<div class="actions"><a class="button" href="${root}edit/versions/${version}/restore/">Restore…</a></div>`
      }
    </section>`,
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
    side: editMenu(request, 'versions', true),
    content: html`
      <section class="card" aria-labelledby="questions">
        <h2 id="questions">Changes by question</h2>
        ${questionsView(diffStructures(from.structure, to.structure), from, to)}
      </section>
      <section class="card" aria-labelledby="lines">
        <h2 id="lines">Changes by line</h2>
        ${diffView(diffLines(formatStructure(from.structure), formatStructure(to.structure)), names)}
      </section>`,
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

const SIGNS = { same: '', removed: '−', added: '+' } as const
const SIGN_LABELS = perLanguage(() => ({ same: '', removed: t('removed: '), added: t('added: ') }) as const)

const MAX_LINES = 3_000

/**
 * Renders the differences between two texts line by line. Added and removed lines are marked by plus and minus signs,
 * by colours, and by labels for screen readers.
 */
export function diffView(hunks: readonly (readonly DiffLine[])[], names: { from: string; to: string }): Html {
  if (hunks.length === 0) return html`<p class="soft">No differences.</p>`
  const lines = hunks.reduce((sum, { length }) => sum + length, 0)
  let remaining = MAX_LINES
  const shown = hunks.flatMap((hunk) => {
    const part = hunk.slice(0, remaining)
    remaining -= part.length
    return part.length > 0 ? [part] : []
  })
  return html`
    <table class="diff">
      <caption>
        A line marked − is only in <strong>${names.from}</strong>. A line marked + is only
        in <strong>${names.to}</strong>.
      </caption>
      <colgroup><col class="number"><col class="number"><col class="sign"><col></colgroup>
      <thead class="hidden">
        <tr>
          <th scope="col">${names.from}</th>
          <th scope="col">${names.to}</th>
          <th scope="col">Sign</th>
          <th scope="col">Line</th>
        </tr>
      </thead>
      ${shown.map((part) => html`<tbody>${part.map(lineView)}</tbody>`)}
    </table>
    ${
      lines > MAX_LINES &&
      html`<p class="soft">Only the first ${MAX_LINES.toLocaleString(pageLanguage())} lines are shown.</p>`
    }`
}

const lineView = (line: DiffLine): Html =>
  html`<tr class="${line.kind}">
    <td>${line.kind !== 'added' && line.from}</td>
    <td>${line.kind !== 'removed' && line.to}</td>
    <td aria-hidden="true">${SIGNS[line.kind]}</td>
    <td><span class="hidden">${SIGN_LABELS()[line.kind]}</span>${line.text}</td>
  </tr>`

/** Asks for confirmation before an old version is restored. */
export async function confirmRestoreVersion(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, params, root, csrf } = request
  const { version } = await findVersion(context, survey.id, parseId(params.version))
  const path = `${root}edit/versions/${version}/`
  return request.render({
    title: t('Restore version {version}?', { version }),
    side: editMenu(request, 'versions', true),
    content: html`<section class="card">
      <p>
        This creates a new version with the content of version ${version}. If the survey is live, respondents see the
        new version immediately. The current version remains in the list. Canvass keeps the answers to questions that
        are missing from version ${version}. These answers reappear if you add the questions again.
      </p>
      <form method="post" action="${path}restore/" class="actions">
        ${csrfField(csrf)}
        <button class="primary">Restore version</button>
        <a class="button plain" href="${path}">Cancel</a>
      </form>
    </section>`,
  })
}

/** Restores an old version as a new one. */
export async function restoreVersionPage(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, params, root } = request
  const version = parseId(params.version)
  const { structure } = await findVersion(context, survey.id, version)
  if (!hasAnswerableQuestion(structure)) {
    request.flash(t('Version {version} has no questions, so it was not restored.', { version }))
    return { redirect: `${root}edit/versions/` }
  }
  const restored = await request.write((writing) => restoreVersion(writing, survey.id, version))
  request.flash(t('Version {version} restored as version {version2}.', { version, version2: restored.version }))
  return { redirect: `${root}edit/versions/` }
}
