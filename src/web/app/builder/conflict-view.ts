import type { Structure } from '../../../domain/structure/structure.ts'
import { listVersionHistory } from '../../../domain/survey/history.ts'
import { type Html, html } from '../../../lib/html.ts'
import { diffLines } from '../../../lib/line-diff.ts'
import { timeTag } from '../../layout/time-tag.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { diffView } from '../versions/diff-view.ts'
import { formatStructure } from './parse-structure-text.ts'

/**
 * Renders the conflict with a version that someone else saved meanwhile: author, time and differences.
 * @param from version that the user opened
 */
export async function conflictView(
  { context, survey, root }: SurveyRequest,
  newest: { version: number; structure: Structure },
  from: number,
  mine: Structure,
): Promise<Html> {
  const { versions } = await listVersionHistory(context, survey.id, { offset: 0, limit: 1 })
  const hunks = diffLines(formatStructure(newest.structure), formatStructure(mine))
  return html`<section class="card" aria-labelledby="conflict"><div class="alert" role="alert" tabindex="-1" autofocus><h2 id="conflict">Someone else saved a new version</h2>
<p>${versions.map(({ username, createdAt }) => html`${username} saved version ${newest.version} on ${timeTag(createdAt)}`)}, after you opened version ${from}. Your changes have not been saved. They are below.</p></div>
<p>To keep your changes, copy what you need from version ${newest.version} and select “Save my version”. Version ${newest.version} stays in the <a href="${root}edit/versions/">list of versions</a>. You can also <a href="${root}edit/">discard your changes and edit version ${newest.version}</a>.</p>
${diffView(hunks, { from: `Version ${newest.version}`, to: 'Your version' })}</section>`
}
