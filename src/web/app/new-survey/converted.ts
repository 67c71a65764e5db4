import { titleOf } from '../../../domain/structure/structure.ts'
import type { Issue } from '../../../domain/structure/xlsform/issues.ts'
import type { ConvertedForm } from '../../../domain/structure/xlsform/read.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { field } from '../../forms/field.ts'
import { issueText } from '../../i18n/error-texts.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { NEW_PATH } from './show.ts'

/**
 * Shows the survey into which an XLSForm was converted, and what was left out or changed. Nothing is stored until the
 * user creates the survey.
 */
export function convertedPage(request: SignedInRequest, { structure, issues }: ConvertedForm): PageResult {
  const questions = structure.form.flatMap(({ children }) => children)
  const shown = questions.filter(({ idname }) => idname !== 'section-separator').length
  const summary = t('{questions} on {pages}, in {languages}.', {
    questions: pluralize(shown, 'question'),
    pages: pluralize(structure.form.length, 'page'),
    languages: pluralize(structure.languages.length, 'language'),
  })
  return request.render({
    title: t('Check the import'),
    beforeHeading: backLink(`${NEW_PATH}import/`, t('Import a file')),
    content: html`<section class="card start" aria-labelledby="result"><h2 id="result">${titleOf(structure)}</h2>
<p>${summary} ${issues.length === 0 ? t('Everything was converted.') : issues.length === 1 ? t('1 part of the form was left out or changed: see below.') : t('{count} parts of the form were left out or changed: see below.', { count: issues.length })}</p>
<form method="post" action="${NEW_PATH}">${csrfField(request.csrf)}<input type="hidden" name="structure" value="${JSON.stringify(structure)}">
${field({ name: 'name', label: t('Name'), value: titleOf(structure) })}
<div class="actions"><button class="primary">Create survey</button><a class="button plain" href="${NEW_PATH}">Cancel</a></div></form></section>
${issues.length > 0 && issuesView(issues)}`,
  })
}

const issuesView = (issues: readonly Issue[]): Html =>
  html`<h2 id="issues">Left out or changed</h2><div class="scroll" role="region" aria-labelledby="issues" tabindex="0"><table class="sheet issues"><thead><tr><th scope="col">Sheet</th><th scope="col">Cell</th><th scope="col">Content</th><th scope="col">What happened</th></tr></thead>
<tbody>${issues.map(
    (issue) =>
      html`<tr><td data-title="${t('Sheet')}">${issue.sheet}</td><td data-title="${t('Cell')}">${issue.column ?? ''}${issue.row ?? ''}</td><td data-title="${t('Content')}">${issue.value !== null && html`<code>${issue.value}</code>`}</td><td data-title="${t('What happened')}"><span>${issueText(issue)}</span></td></tr>`,
  )}</tbody></table></div>`
