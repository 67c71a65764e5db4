import { listVersionHistory, type VersionHistoryEntry } from '../../../domain/survey/history.ts'
import { findVersion, restoreVersion } from '../../../domain/survey/versions.ts'
import { html, type Part } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { csrfField } from '../../csrf.ts'
import { pager } from '../../layout/pager.ts'
import { timeTag } from '../../layout/time-tag.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import { editMenu } from '../builder/menu.ts'
import type { SurveyRequest } from '../surveys/frame.ts'

const SIZE = 20

/** Every structure that the survey has had, the newest first: who made it, when, and what it changed. */
export async function showVersions(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, query, root } = request
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: SIZE, max: SIZE })
  const { total, versions } = await listVersionHistory(context, survey.id, page)
  return request.render({
    title: 'Versions',
    action: editMenu(request, 'versions'),
    content: html`<p class="soft">Saving the structure makes a version. None is ever lost: restoring an earlier one makes a new one of it.</p>
<section class="card"><ul class="rows versions">${versions.map((one) => versionRow(one, `${root}edit/versions/`))}</ul></section>
${pager({ number: page.number, total, size: SIZE, path: (number) => `?page=${number}` })}`,
  })
}

function versionRow({ version, username, createdAt, isCurrent, change }: VersionHistoryEntry, root: string): Part {
  const named = (what: string) => html` aria-label="${what} version ${version}"`
  return html`<li><div><h2><a href="${root}${version}/">Version ${version}</a>${isCurrent && html` <span class="tag">current</span>`}</h2>
<p>${change === undefined ? 'The first one' : sentence(change)}</p><p class="soft">${username}, ${timeTag(createdAt)}</p></div>
<div class="does">${
    version > 1 &&
    html`<a class="button quiet small" href="${root}diff/?from=${version - 1}&amp;to=${version}"${named('What changed in')}>What changed</a>`
  }${!isCurrent && html`<a class="button quiet small" href="${root}${version}/restore/"${named('Restore')}>Restore…</a>`}</div></li>`
}

const sentence = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}`

/** Asks before an earlier structure becomes the current one again. */
export async function confirmRestoreVersion(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, params, root, csrf } = request
  const { version } = await findVersion(context, survey.id, parseId(params.version))
  const own = `${root}edit/versions/${version}/`
  return request.render({
    title: `Restore version ${version}?`,
    action: editMenu(request, 'versions', true),
    content: html`<section class="card"><p>A new version is made that says what version ${version} said, and respondents get it at once. The present one stays among the versions. Answers to questions that it does not have are kept, and come back with their questions.</p>
<form method="post" action="${own}restore/" class="actions">${csrfField(csrf)}<button class="primary">Restore it</button><a class="button plain" href="${own}">Leave it</a></form></section>`,
  })
}

/** Makes it so, and goes on with the new version. */
export async function restoreVersionPage(request: SurveyRequest): Promise<PageResult> {
  const { survey, params, root } = request
  const version = parseId(params.version)
  const restored = await request.write((context) => restoreVersion(context, survey.id, version))
  request.flash(`Version ${restored.version} says what version ${version} said.`)
  return { redirect: `${root}edit/versions/` }
}
