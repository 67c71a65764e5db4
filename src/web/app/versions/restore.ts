import { hasAnswerableQuestion } from '../../../domain/structure/publishing/texts.ts'
import { findVersion, restoreVersion } from '../../../domain/survey/versions.ts'
import { html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import { editMenu } from '../builder/menu.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'

/** Asks for confirmation before an old version is restored. */
export async function confirmRestoreVersion(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, params, root, csrf } = request
  const { version } = await findVersion(context, survey.id, parseId(params.version))
  const path = `${root}edit/versions/${version}/`
  return request.render({
    title: t('Restore version {version}?', { version }),
    action: editMenu(request, 'versions', true),
    content: html`<section class="card"><p>This creates a new version with the content of version ${version}. If the survey is live, respondents see the new version immediately. The current version remains in the list. Canvass keeps the answers to questions that are missing from version ${version}. These answers reappear if you add the questions again.</p>
<form method="post" action="${path}restore/" class="actions">${csrfField(csrf)}<button class="primary">Restore version</button><a class="button plain" href="${path}">Cancel</a></form></section>`,
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
