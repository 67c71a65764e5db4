import type { ChangeSummary } from '../../../domain/structure/change.ts'
import { listVersionHistory, type VersionHistoryEntry } from '../../../domain/survey/versions.ts'
import { html, type Part } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { pager } from '../../layout/pager.ts'
import { capitalize, pluralize } from '../../layout/pluralize.ts'
import { timeTag } from '../../layout/time-tag.ts'
import type { PageResult } from '../../page.ts'
import { editMenu } from '../builder/menu.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'

const PAGE_SIZE = 20

/** Lists the versions of the structure, newest first, with author, time and changes. */
export async function showVersions(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, query, root } = request
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, versions } = await listVersionHistory(context, survey.id, page)
  return request.render({
    title: t('Versions'),
    action: editMenu(request, 'versions'),
    content: html`<p class="soft">Publishing the survey creates a version. Restoring an old version creates a new version with the same content.</p>
<section class="card"><ul class="rows versions">${versions.map((entry) => versionRow(entry, `${root}edit/versions/`))}</ul></section>
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
  return html`<li><div><h2><a href="${root}${version}/">Version ${version}</a>${isCurrent && html` <span class="tag">current</span>`}</h2>
<p>${change === undefined ? t('First version') : capitalize(changeText(change))}</p><p class="soft">${username}, ${timeTag(createdAt)}</p></div>
<div class="row-actions">${
    version > 1 &&
    html`<a class="button quiet small" href="${root}diff/?from=${version - 1}&amp;to=${version}"${labelFor(t('Show changes in'))}>Show changes</a>`
  }${!isCurrent && html`<a class="button quiet small" href="${root}${version}/restore/"${labelFor(t('Restore'))}>Restore…</a>`}</div></li>`
}
