import { createHash } from 'node:crypto'
import type { Structure, StructureWarning } from '../../../domain/structure/structure.ts'
import { listVersionHistory } from '../../../domain/survey/versions.ts'
import type { WorkingCopy } from '../../../domain/survey/working-copy.ts'
import { type Html, html } from '../../../lib/html.ts'
import { diffLines } from '../../../lib/line-diff.ts'
import { warningText } from '../../i18n/error-texts.ts'
import { t } from '../../i18n/t.ts'
import { timeTag } from '../../layout/format.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { diffView } from '../versions.ts'
import { formatStructure } from './parse-structure-text.ts'

/**
 * Renders an alert about a draft or version that someone else saved meanwhile. Shows who saved the draft or version,
 * when, and how it differs from the user's text.
 * @param from the version that the user opened
 * @param inEditor whether the editor with the user's text follows; otherwise the user publishes a draft of the builder
 */
export async function conflictView(
  { context, survey, root }: SurveyRequest,
  { published, draft, changed, structure }: Omit<WorkingCopy, 'removed' | 'revision'>,
  from: number,
  mine: Structure,
  inEditor = true,
): Promise<Html> {
  const { version } = published
  const isDraft = changed && version === from
  const theirs = isDraft ? structure : published.structure
  const { versions } = await listVersionHistory(context, survey.id, { offset: 0, limit: 1 })
  const hunks = diffLines(formatStructure(theirs), formatStructure(mine))
  const saved = isDraft
    ? html`${draft?.author ?? t('Someone')} saved the draft on ${draft && timeTag(draft.updatedAt)}`
    : versions.map(({ username, createdAt }) => html`${username} saved version ${version} on ${timeTag(createdAt)}`)
  return html`<section class="card" aria-labelledby="conflict">
    <div class="alert" role="alert" tabindex="-1" autofocus>
      <h2 id="conflict">Someone else saved ${isDraft ? t('the draft') : t('a new version')}</h2>
      <p>
        ${
          inEditor
            ? html`
              ${saved}, after you opened ${isDraft ? t('it') : t('version {from}', { from })}. Your changes have not
              been published. The editor below contains them.`
            : html`${saved}. Your draft is based on version ${from} and has not been published.`
        }
      </p>
    </div>
    <p>
      ${
        isDraft
          ? html`
            If you publish your text, it replaces the draft. First copy what you need from the draft into your text. You
            can also <a href="${root}edit/json/">discard your changes and edit the draft</a>.`
          : inEditor
            ? html`
              If you publish your text, it replaces version ${version}. First copy what you need from version ${version}
              into your text. Version ${version} stays in the <a href="${root}edit/versions/">list of versions</a>. You
              can also <a href="${root}edit/json/">discard your changes and edit version ${version}</a>.`
            : html`
              If you publish your draft, it replaces version ${version}. To keep changes from version ${version}, select
              “Cancel” and add them to your draft first. Version ${version} stays in
              the <a href="${root}edit/versions/">list of versions</a>. You can
              also <a href="${root}edit/discard/">discard your draft and edit version ${version}</a>.`
      }
    </p>
    ${diffView(hunks, { from: isDraft ? t('Draft') : t('Version {version}', { version }), to: t('Your version') })}
  </section>`
}

/** Returns the value of the form field that confirms exactly the changes in these warnings and no others. */
export const confirmationOf = (removals: readonly StructureWarning[]): string =>
  createHash('sha256')
    .update(removals.map(({ code, pointer }) => `${code} ${pointer}`).join(' '))
    .digest('base64url')

/** Asks for confirmation of changes that affect stored answers: removed questions or choices, and changed types. */
export const removalWarningsView = (removals: readonly StructureWarning[]): Html =>
  html`<section class="card" aria-labelledby="removals">
    <div class="alert" role="alert" tabindex="-1" autofocus>
      <h2 id="removals">Publish these changes?</h2>
      <p>Your changes have not been published yet. They affect existing answers:</p>
      <ul>${removals.map((warning) => html`<li>${warningText(warning)}</li>`)}</ul>
    </div>
  </section>`
