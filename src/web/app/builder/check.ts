import { checkBeforePublishing } from '../../../domain/survey/drafts.ts'
import { findWorkingCopy } from '../../../domain/survey/working-copy.ts'
import { html } from '../../../lib/html.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { findingsView } from './findings-view.ts'
import { editMenu } from './menu.ts'

/** Lists what is unfinished or probably wrong in the draft. */
export async function showCheck(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, root } = request
  const copy = await findWorkingCopy(context, survey.id)
  const check = await checkBeforePublishing(context, survey.id, copy, copy.published)
  return request.render({
    title: t('Check'),
    action: editMenu(request, 'questions', true),
    beforeHeading: backLink(`${root}edit/`, t('All questions')),
    content:
      check.total === 0
        ? html`<section class="card"><p>Nothing is unfinished. Every page and question can be reached.</p></section>`
        : findingsView({ root, structure: copy.structure }, check),
  })
}
