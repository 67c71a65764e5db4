import type { Structure } from '../../../domain/structure/structure.ts'
import { listVersionHistory } from '../../../domain/survey/history.ts'
import { type Html, html } from '../../../lib/html.ts'
import { diffLines } from '../../../lib/line-diff.ts'
import { timeTag } from '../../layout/time-tag.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { diffView } from '../versions/diff-view.ts'
import { formatStructure } from './read-structure.ts'

/** Somebody saved between opening and saving: who, when, and both structures laid over each other. @param from the version that was opened */
export async function conflictView(
  { context, survey, root }: SurveyRequest,
  newest: { version: number; structure: Structure },
  from: number,
  mine: Structure,
): Promise<Html> {
  const { versions } = await listVersionHistory(context, survey.id, { offset: 0, limit: 1 })
  const stretches = diffLines(formatStructure(newest.structure), formatStructure(mine))
  return html`<section class="card" aria-labelledby="conflict"><div class="alert" role="alert" tabindex="-1" autofocus><h2 id="conflict">Somebody else has saved</h2>
<p>${versions.map(({ username, createdAt }) => html`${username} saved version ${newest.version} on ${timeTag(createdAt)}`)}, after you opened version ${from}. Nothing was saved now, and nothing is lost: what you wrote is below.</p></div>
<p>Bring over what you want to keep, then press “Save mine”: your text becomes the next version, and version ${newest.version} stays among the <a href="${root}edit/versions/">versions</a>. Or <a href="${root}edit/">drop yours and go on with version ${newest.version}</a>.</p>
${diffView(stretches, { from: `Version ${newest.version}`, to: 'Yours' })}</section>`
}
