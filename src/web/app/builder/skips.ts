import { problems } from '../../../domain/problem.ts'
import type { Skip } from '../../../domain/structure/questionnaire.ts'
import type { Structure } from '../../../domain/structure/structure.ts'
import { arrayOf } from '../../../domain/structure/walk.ts'
import { findWorkingCopy, revisionOf } from '../../../domain/survey/working-copy.ts'
import { html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { formValue } from '../../forms/form-fields.ts'
import { storedText } from '../../i18n/stored-text.ts'
import { t } from '../../i18n/t.ts'
import { backLink, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { editorPage, hasSeen, notSaved } from './editor-page.ts'
import { editMenu } from './menu.ts'
import { parseTarget, skipSummaries, targetSelect } from './skip-target.ts'
import { defaultCode, nameOfPage } from './texts.ts'
import { pageAddress } from './window.ts'

/**
 * Returns the page that the URL names, with its skips.
 * @throws {Problem} `structure_changed`
 */
function pageIn({ query }: SurveyRequest, structure: Structure) {
  const page = Number(query.get('page') ?? 'NaN')
  const frame = structure.form[page]
  if (!frame) throw problems.draftChanged()
  return { page, frame, skips: arrayOf(frame.skip) as readonly Skip[] }
}

/** Shows the skips of a page, which determine where respondents go after the page. */
export const showSkips = (request: SurveyRequest): Promise<PageResult> => skipsPage(request)

async function skipsPage(request: SurveyRequest, rejection: Part = null): Promise<PageResult> {
  const { context, survey, root, csrf } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const { page, frame, skips } = pageIn(request, structure)
  const code = defaultCode(structure)
  const path = pathWith(`${root}edit/skips/`, { page: String(page) })
  const seen = html`${csrfField(csrf)}<input type="hidden" name="seen" value="${revisionOf(skips)}">`
  const rows = skipSummaries(structure, page, code).map((text, index) => {
    const of = html`<span class="hidden"> skip ${index + 1}</span>`
    const edit = pathWith(`${root}edit/condition/`, { page: String(page), skip: String(index) })
    return html`<li>
      <span>${text.charAt(0).toUpperCase()}${text.slice(1)}</span>
      <form method="post" action="${path}" class="card-actions">
        ${seen}
        <input type="hidden" name="skip" value="${index}">
        <a class="button plain small" href="${edit}">Edit${of}</a>
        <button class="quiet small" name="do" value="remove">Remove${of}</button>
      </form>
    </li>`
  })
  return request.render({
    title: t('Skips after {value}', { value: nameOfPage(frame, page, code) }),
    side: editMenu(request, 'questions', true),
    beforeHeading: backLink(pageAddress(root, structure, page), t('All questions')),
    content: html`
      ${rejection}
      <section class="card">
        <p class="soft">
          ${
            skips.length === 0
              ? t('Respondents continue with the next page.')
              : t('The first skip whose rules are met applies. Otherwise respondents continue with the next page.')
          }
        </p>
        ${rows.length > 0 && html`<ol class="rows">${rows}</ol>`}
      </section>
      <section class="card" aria-labelledby="add-skip">
        <h2 id="add-skip">Add a skip</h2>
        <form method="post" action="${path}">
          ${seen}
          ${targetSelect(structure, page, 'complete')}
          <button class="primary" name="do" value="add">Add skip</button>
        </form>
      </section>`,
  })
}

/** Adds a skip and opens the form of its rules, or removes a skip. */
export async function saveSkips(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form, root } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const { page, skips } = pageIn(request, structure)
  const to = parseTarget(formValue(form, 'to'))
  const isAdding = formValue(form, 'do') === 'add' && to !== undefined
  const removed = formValue(form, 'do') === 'remove' ? Number(formValue(form, 'skip')) : undefined
  const after = isAdding ? [...skips, { to }] : skips.filter((_, index) => index !== removed)
  return editorPage(request, {
    operation: { op: 'edit_page', page, change: { skip: after } },
    label: isAdding ? storedText('Skip added') : storedText('Skip removed'),
    isCurrent: (now) => hasSeen(request, revisionOf(pageIn(request, now).skips)),
    view: (messages) => skipsPage(request, notSaved(messages)),
    redirect: isAdding
      ? pathWith(`${root}edit/condition/`, { page: String(page), skip: String(skips.length) })
      : pathWith(`${root}edit/skips/`, { page: String(page) }),
    flash: isAdding ? undefined : t('Skip removed.'),
  })
}
