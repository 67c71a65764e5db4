import { problems } from '../../../domain/problem.ts'
import type { Operation, SurveyChange } from '../../../domain/structure/edit/operation.ts'
import { acceptsSeveral } from '../../../domain/structure/loop.ts'
import { settingOf } from '../../../domain/structure/setting.ts'
import type { Structure } from '../../../domain/structure/structure.ts'
import { findWorkingCopy, revisionOf, type WorkingCopy } from '../../../domain/survey/working-copy.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { field, select, textArea } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { type StoredText, shownText, storedText } from '../../i18n/stored-text.ts'
import { t } from '../../i18n/t.ts'
import { timeTag } from '../../layout/format.ts'
import { backLink, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { editorPage, hasSeen, notSaved } from './editor-page.ts'
import { editMenu } from './menu.ts'
import { defaultCode, nameOfPage, textOf, titleOfQuestion } from './texts.ts'
import { pageAddress } from './window.ts'

/** The form for the title and description of a page or of the survey. */
interface TitleForm {
  heading: string
  path: string
  back: string
  title: string
  description: string
  seen: string
  more?: Part
}

/** The settings of a page about random order and repetition. */
type PageOrder = { randomize: boolean; randomBlock: string; loop: string }

const indexIn = ({ query }: SurveyRequest): number => Number(query.get('page') ?? 'NaN')

/**
 * Returns the form of a page.
 * @param entered the submitted values; undefined for the stored ones
 * @throws {Problem} `structure_changed` if the page does not exist
 */
function pageForm(request: SurveyRequest, structure: Structure, entered?: PageOrder): TitleForm {
  const { root } = request
  const index = indexIn(request)
  const page = structure.form[index]
  if (!page) throw problems.draftChanged()
  const code = defaultCode(structure)
  const { children: _, ...frame } = page
  const { randomize, randomBlock, loop } = entered ?? {
    randomize: settingOf(page, 'randomize') === true,
    randomBlock: page.randomBlock ?? '',
    loop: page.loop ?? '',
  }
  return {
    heading: nameOfPage(page, index, code),
    path: pathWith(`${root}edit/page/`, { page: String(index) }),
    back: pageAddress(root, structure, index),
    title: textOf(page.title, code),
    description: textOf(page.description, code),
    seen: revisionOf(frame),
    more: html`<div class="field tickbox">
      <label>
        <input type="checkbox" name="randomize" value="on"${randomize && html` checked`}
            aria-describedby="randomize-hint"> Random order of questions
      </label>
      <p class="hint" id="randomize-hint">Each respondent sees the questions of this page in a different order.</p>
    </div>
    ${field({
      name: 'randomBlock',
      label: t('Random order of pages: name of the block'),
      hint: t(
        'Neighbouring pages with the same name, such as “concepts”, are shown to each respondent in a different order. Leave blank for a fixed place.',
      ),
      value: randomBlock,
      attributes: html` maxlength="50"`,
    })}
    ${loopField(structure, index, loop)}`,
  }
}

/** Renders the list of questions for whose choices a page can be repeated. Renders nothing if there are none. */
function loopField(structure: Structure, page: number, loop: string): Part {
  const code = defaultCode(structure)
  const before = structure.form.slice(0, page).filter((one) => !one.loop)
  const questions = before.flatMap(({ children }) => children).filter(acceptsSeveral)
  const stored = questions.find(({ id, identifier }) => id === loop || identifier === loop)
  if (questions.length === 0 && !loop) return null
  return select({
    name: 'loop',
    label: t('Repeat this page for each choice of'),
    hint: t(
      'Respondents see the page once for each choice that they tick. Write {loop} where the label of the choice belongs. Neighbouring pages for the same question are repeated together.',
      { loop: '{{ loop }}' },
    ),
    value: stored?.id ?? loop,
    options: [
      { value: '', label: t('Not repeated') },
      ...(loop && !stored ? [{ value: loop, label: loop }] : []),
      ...questions.map((question) => ({ value: question.id, label: titleOfQuestion(question, code) })),
    ],
    errors: undefined,
  })
}

/** Returns the form of the title and description of the survey. */
function surveyForm({ root }: SurveyRequest, structure: Structure): TitleForm {
  const code = defaultCode(structure)
  return {
    heading: t('Title and description'),
    path: `${root}edit/survey/`,
    back: `${root}edit/`,
    title: textOf(structure.title, code),
    description: textOf(structure.description, code),
    seen: revisionOf([structure.title, structure.description]),
  }
}

/** Shows the form of a page. */
export async function showPageForm(request: SurveyRequest): Promise<PageResult> {
  const { structure } = await findWorkingCopy(request.context, request.survey.id)
  return titlePage(request, pageForm(request, structure))
}

/** Shows the form of the title and description of the survey. */
export async function showSurveyForm(request: SurveyRequest): Promise<PageResult> {
  const { structure } = await findWorkingCopy(request.context, request.survey.id)
  return titlePage(request, surveyForm(request, structure))
}

function titlePage(request: SurveyRequest, form: TitleForm, rejection: Part = null): PageResult {
  return request.render({
    title: form.heading,
    side: editMenu(request, 'questions', true),
    beforeHeading: backLink(form.back, t('All questions')),
    content: titleForm(request, form, rejection),
  })
}

const titleForm = (
  { csrf }: SurveyRequest,
  { path, back, title, description, seen, more }: TitleForm,
  rejection: Part,
): Html =>
  html`<form method="post" action="${path}" class="card question-form" id="question-form">
    ${csrfField(csrf)}
    <input type="hidden" name="seen" value="${seen}">
    ${rejection}
    ${field({ name: 'title', label: t('Title'), value: title })}
    ${textArea({ name: 'description', label: t('Description'), value: description, prose: true, rows: 3 })}
    ${more}
    <div class="actions">
      <button class="primary" name="do" value="save">Save</button>
      <a class="button plain" href="${back}">Cancel</a>
    </div>
  </form>`

const textChange = ({ form }: SurveyRequest, code: string): Pick<SurveyChange, 'title' | 'description'> => {
  const text = (name: string) => (formValue(form, name) ?? '').replaceAll('\r\n', '\n').trim()
  return { title: { [code]: text('title') }, description: { [code]: text('description') } }
}

/** Saves the form of a page to the draft. */
export async function savePage(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const page = indexIn(request)
  const order = {
    randomize: formValue(form, 'randomize') !== undefined,
    randomBlock: (formValue(form, 'randomBlock') ?? '').trim(),
    loop: formValue(form, 'loop') ?? '',
  }
  const change = { ...textChange(request, defaultCode(structure)), ...order }
  return save(
    request,
    { op: 'edit_page', page, change },
    storedText('Page {page} edited', { page: page + 1 }),
    (now, isEntered) => pageForm(request, now, isEntered ? order : undefined),
  )
}

/** Saves the title and description of the survey to the draft. */
export async function saveSurveyForm(request: SurveyRequest): Promise<PageResult> {
  const { context, survey } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const change = textChange(request, defaultCode(structure))
  return save(request, { op: 'edit_survey', change }, storedText('Title and description edited'), (now) =>
    surveyForm(request, now),
  )
}

/**
 * Applies the operation of a form to the draft.
 * @param formOf returns the form for a structure; if `isEntered` is true, checkboxes have the submitted values instead
 *   of the stored ones
 */
async function save(
  request: SurveyRequest,
  operation: Operation,
  label: StoredText,
  formOf: (structure: Structure, isEntered: boolean) => TitleForm,
): Promise<PageResult> {
  const { context, survey, form } = request
  const { path, back } = formOf((await findWorkingCopy(context, survey.id)).structure, false)
  const isAutomatic = formValue(form, 'do') === 'autosave'
  return editorPage(request, {
    operation,
    label,
    isCurrent: (now) => hasSeen(request, formOf(now, false).seen),
    subject: isAutomatic ? path : undefined,
    view: async (messages, { code }) => {
      const copy = await findWorkingCopy(context, survey.id)
      const entered = { title: formValue(form, 'title') ?? '', description: formValue(form, 'description') ?? '' }
      const now = formOf(copy.structure, true)
      const rejection =
        code === 'structure_changed'
          ? conflictAlert(copy, context.actor.username, path, differencesOf(now, entered))
          : notSaved(messages)
      return titlePage(request, { ...now, ...entered }, rejection)
    },
    ...(isAutomatic ? { redirect: path } : { redirect: back, flash: `${shownText(label)}.` }),
  })
}

/** Returns the texts that differ between the stored form and the entered form. */
const differencesOf = (
  theirs: Pick<TitleForm, 'title' | 'description'>,
  mine: Pick<TitleForm, 'title' | 'description'>,
): Difference[] =>
  [
    { label: t('Title'), theirs: theirs.title, mine: mine.title },
    { label: t('Description'), theirs: theirs.description, mine: mine.description },
  ].filter(({ theirs, mine }) => theirs !== mine.replaceAll('\r\n', '\n').trim())

/** A form field whose stored value differs from the entered value, with both values as text. */
export interface Difference {
  label: string
  theirs: string
  mine: string
}

/**
 * Renders an alert inside a form. The alert says that the part of the survey in the form was changed after the author
 * opened the form, by someone else or by the author in another window. The alert shows who made the change and when,
 * both values of each field that differs, and buttons that choose one version. The form below the alert keeps the
 * entered values.
 * @param path the path that opens the form with the stored values
 */
export function conflictAlert(
  { draft, published }: WorkingCopy,
  user: string,
  path: string,
  differences: readonly Difference[],
): Html {
  const author = draft?.author === user ? t('You') : (draft?.author ?? t('Someone else'))
  const where = draft?.author === user ? t(' in another window') : ''
  const change = draft
    ? html`${author} changed this part of the survey${where} on ${timeTag(draft.updatedAt)}, after you opened it.`
    : html`Version ${published.version} was published after you opened this part of the survey.`
  return html`<section class="alert conflict" role="alert" aria-label="Conflict">
    <p><strong>${change}</strong> Your version is shown below, but it is not saved.</p>
    ${
      differences.length > 0 &&
      html`<table>
        <thead>
          <tr><th scope="col">Field</th><th scope="col">Saved version</th><th scope="col">Your version</th></tr>
        </thead>
        <tbody>
          ${differences.map(
            ({ label, theirs, mine }) =>
              html`<tr>
                <th scope="row">${label}</th>
                <td>${theirs || html`<i>blank</i>`}</td>
                <td>${mine || html`<i>blank</i>`}</td>
              </tr>`,
          )}
        </tbody>
      </table>`
    }
    <div class="card-actions">
      <button class="primary small" name="do" value="save">Save my version</button>
      <a class="button plain small" href="${path}" data-theirs>Use the saved version</a>
    </div>
  </section>`
}
