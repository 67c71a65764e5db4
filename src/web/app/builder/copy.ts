import { can, findAccessBySurvey } from '../../../domain/group/access.ts'
import { problems } from '../../../domain/problem.ts'
import type { CopiedStructure, CopyLoss, CopySource } from '../../../domain/structure/edit/copy-between.ts'
import type { Structure } from '../../../domain/structure/structure.ts'
import { copyToSurvey } from '../../../domain/survey/copy-questions.ts'
import { listSurveys, summariseSurvey } from '../../../domain/survey/queries.ts'
import { findWorkingCopy } from '../../../domain/survey/working-copy.ts'
import { html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, field, fieldErrorsOf, select } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { formatList } from '../../i18n/i18n.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { serializeText, storedText } from '../../i18n/stored-text.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { backLink, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import { type SurveyRequest, surveyRoot } from '../surveys/survey-page.ts'
import { editMenu } from './menu.ts'
import { cardTitle, defaultCode, nameOfPage } from './texts.ts'
import { pageAddress } from './window.ts'

/** Maximum number of surveys in the menu. */
const MAX_MENU_ENTRIES = 100

export const LOSSES: () => Readonly<Record<CopyLoss, string>> = perLanguage(() => ({
  condition: t('“Show if”, because it needs another question'),
  skips: t('the skips after the page'),
  choice_filter: t('“Show choices if”, because it needs another question'),
  placeholder: t('answers to other questions in texts'),
  calculation: t('the calculation, because it needs another question'),
  identifier: t('the identifier, which another question of that survey has'),
  block: t('the block of pages in random order'),
  loop: t('the repetition for each choice of another question'),
}))

/** Returns the path of the page that copies a question, or a page (from 1), to another survey. */
export const copyPath = (root: string, what: { question?: string; page?: number }): string =>
  pathWith(`${root}edit/copy/`, what)

/** Returns what the query names. */
function sourceIn(query: URLSearchParams, structure: Structure): CopySource {
  const question = query.get('question')
  if (question === null) {
    const page = Number(query.get('page')) - 1
    if (!structure.form[page]) throw problems.draftChanged()
    return { page }
  }
  if (!structure.form.some(({ children }) => children.some(({ id }) => id === question)))
    throw problems.questionNotFound()
  return { question }
}

function nameOf(source: CopySource, structure: Structure): string {
  const code = defaultCode(structure)
  if ('page' in source) return nameOfPage(structure.form[source.page]!, source.page, code)
  const question = structure.form.flatMap(({ children }) => children).find(({ id }) => id === source.question)!
  return t('“{title}”', { title: cardTitle(question, structure, code) })
}

/** Asks to which survey a question or page is copied. */
export const showCopy = (request: SurveyRequest): Promise<PageResult> => copyPage(request)

async function copyPage(request: SurveyRequest, rejected?: FormErrors): Promise<PageResult> {
  const { context, survey, root, csrf, query, form } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const source = sourceIn(query, structure)
  const { surveys } = await listSurveys(context, { order: 'edited' }, { offset: 0, limit: MAX_MENU_ENTRIES })
  const accesses = await findAccessBySurvey(
    context,
    surveys.map(({ id }) => id),
  )
  const targets = surveys.filter(({ id }) => id !== survey.id && can(accesses.get(id), 'Edit'))
  return request.render({
    title: t('Copy to another survey'),
    side: editMenu(request, 'questions', true),
    beforeHeading: backLink(`${root}edit/`, t('All questions')),
    content: html`<section class="card">
      <p>${t('Copies {name} into the draft of another survey.', { name: nameOf(source, structure) })}</p>
      <p class="soft">What needs questions that are not copied is left out. You see what.</p>
      ${alert(rejected?.general)}
      ${
        targets.length === 0
          ? html`<p>You have no other survey that you may edit.</p>`
          : html`<form method="post" action="${pathWith(`${root}edit/copy/`, Object.fromEntries(query))}">
            ${csrfField(csrf)}
            ${select({
              name: 'to',
              label: t('Survey'),
              value: formValue(form, 'to') ?? '',
              options: targets.map(({ id, name }) => ({ value: id, label: name })),
              errors: rejected?.errors,
            })}
            ${
              'question' in source &&
              field({
                name: 'page',
                type: 'number',
                label: t('Page'),
                hint: t('The question is added at the end of this page. Leave blank for the last page.'),
                value: formValue(form, 'page') ?? '',
                short: true,
                attributes: html` min="1"`,
                errors: rejected?.errors,
              })
            }
            <button class="primary">Copy</button>
          </form>`
      }
    </section>`,
  })
}

/** Copies a question or a page, and says what was left out. */
export async function saveCopy(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, query, form } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const source = sourceIn(query, structure)
  const to = parseId(formValue(form, 'to'))
  const entered = (formValue(form, 'page') ?? '').trim()
  return formPage(request, {
    fields: (error) => fieldErrorsOf(error, ['page']),
    act: (writing) => {
      const page = entered === '' || 'page' in source ? undefined : Number(entered) - 1
      if (page !== undefined && !Number.isInteger(page)) throw problems.invalidField('page', 'not_an_integer')
      const label = 'question' in source ? storedText('Question copied') : storedText('Page copied')
      return copyToSurvey(writing, survey.id, source, { survey: to, page }, serializeText(label))
    },
    view: (rejected) => copyPage(request, rejected),
    done: async (copied) => {
      const target = await summariseSurvey(context, to, 'Edit')
      const address = pageAddress(surveyRoot(to), copied.structure, copied.page)
      const flash = t('Copied to “{name}”.', { name: target.name })
      const notes = notesOf(copied, source, structure)
      return notes.length === 0 ? { redirect: address, flash } : resultPage(request, flash, address, notes)
    },
  })
}

/** Shows what was left out of a copy, with a link to it. */
export function resultPage(
  request: SurveyRequest,
  title: string,
  address: string,
  notes: readonly Part[],
  link = t('View the copy'),
): PageResult {
  const { root } = request
  return request.render({
    title,
    side: editMenu(request, 'questions', true),
    beforeHeading: backLink(`${root}edit/`, t('All questions')),
    content: html`<section class="card" aria-labelledby="notes">
      <h2 id="notes">Please check</h2>
      <ul class="finding-list">${notes.map((note) => html`<li>${note}</li>`)}</ul>
      <p class="below"><a class="button primary" href="${address}">${link}</a></p>
    </section>`,
  })
}

/** Returns what was left out, and which translations are missing, as sentences. */
export function notesOf(
  { losses, untranslated, lostLanguages }: Omit<CopiedStructure, 'structure'>,
  source: CopySource,
  structure: Structure,
): Part[] {
  const names = new Intl.DisplayNames([pageLanguage()], { type: 'language' })
  const listOf = (codes: readonly string[]) => formatList(codes.map((code) => names.of(code) ?? code))
  const seen = new Set<string>()
  const notes: Part[] = losses.flatMap(({ question, what }) => {
    const key = `${what} ${question}`
    if (seen.has(key)) return []
    seen.add(key)
    const place = question === undefined ? source : { question }
    return [t('Not copied with {name}: {what}.', { name: nameOf(place, structure), what: LOSSES()[what] })]
  })
  if (untranslated.length > 0)
    notes.push(t('Not translated into {languages}, which that survey has.', { languages: listOf(untranslated) }))
  if (lostLanguages.length > 0)
    notes.push(
      t('Texts in {languages} were not copied: that survey does not have them.', { languages: listOf(lostLanguages) }),
    )
  return notes
}
