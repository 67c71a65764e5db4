import { problems } from '../../../domain/problem.ts'
import type { Operation, SurveyChange } from '../../../domain/structure/edit/operation.ts'
import { settingOf } from '../../../domain/structure/setting.ts'
import { editDraft } from '../../../domain/survey/drafts.ts'
import { findWorkingCopy, revisionOf } from '../../../domain/survey/working-copy.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, field, textArea } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { backLink } from '../../layout/back-link.ts'
import { pathWith } from '../../layout/pager.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { rejectionOf } from './change.ts'
import { editMenu } from './menu.ts'
import { defaultCode, nameOfPage, textOf } from './texts.ts'

/** A form with a title and a description. */
interface TitleForm {
  heading: string
  path: string
  back: string
  title: string
  description: string
  seen: string
  more?: Part
}

const indexIn = ({ query }: SurveyRequest): number => Number(query.get('page') ?? 'NaN')

/** Shows the form of a page. */
export async function showPageForm(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, root } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const index = indexIn(request)
  const page = structure.form[index]
  if (!page) throw problems.draftChanged()
  const code = defaultCode(structure)
  const { children: _, ...frame } = page
  return titlePage(request, {
    heading: nameOfPage(page, index, code),
    path: pathWith(`${root}edit/page/`, { page: String(index) }),
    back: `${root}edit/#page-${index + 1}`,
    title: textOf(page.title, code),
    description: textOf(page.description, code),
    seen: revisionOf(frame),
    more: html`<div class="field tickbox"><label><input type="checkbox" name="randomize" value="on"${settingOf(page, 'randomize') === true && html` checked`} aria-describedby="randomize-hint"> Random order</label><p class="hint" id="randomize-hint">Each respondent sees the questions of this page in a different order.</p></div>`,
  })
}

function titlePage(request: SurveyRequest, form: TitleForm, rejection: Part = null): PageResult {
  return request.render(
    {
      title: form.heading,
      action: editMenu(request, 'questions', true),
      beforeHeading: backLink(form.back, 'All questions'),
      content: titleForm(request, form, rejection),
    },
    rejection ? 422 : 200,
  )
}

const titleForm = (
  { csrf }: SurveyRequest,
  { path, back, title, description, seen, more }: TitleForm,
  rejection: Part,
): Html =>
  html`<form method="post" action="${path}" class="card question-form" id="question-form">${csrfField(csrf)}<input type="hidden" name="seen" value="${seen}">${rejection}
${field({ name: 'title', label: 'Title', value: title })}${textArea({ name: 'description', label: 'Description', value: description, prose: true, rows: 3 })}${more}
<div class="actions"><button class="primary" name="do" value="save">Save</button><a class="button plain" href="${back}">Cancel</a></div></form>`

const textChange = ({ form }: SurveyRequest, code: string): Pick<SurveyChange, 'title' | 'description'> => {
  const text = (name: string) => (formValue(form, name) ?? '').replaceAll('\r\n', '\n').trim()
  return { title: { [code]: text('title') }, description: { [code]: text('description') } }
}

/** Saves the form of a page to the draft. */
export async function savePage(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form, root } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const page = indexIn(request)
  const randomize = formValue(form, 'randomize') !== undefined
  const change = { ...textChange(request, defaultCode(structure)), randomize }
  const back = `${root}edit/#page-${page + 1}`
  return save(request, { op: 'edit_page', page, change }, `Page ${page + 1} edited`, {
    heading: `Page ${page + 1}`,
    path: pathWith(`${root}edit/page/`, { page: String(page) }),
    back,
    isCurrent: (now, seen) => {
      const { children: _, ...frame } = now.form[page] ?? { children: [] }
      return revisionOf(frame) === seen
    },
  })
}

/** Shows the form of the title and description of the survey. */
export async function showSurveyForm(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, root } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const code = defaultCode(structure)
  return titlePage(request, {
    heading: 'Title and description',
    path: `${root}edit/survey/`,
    back: `${root}edit/`,
    title: textOf(structure.title, code),
    description: textOf(structure.description, code),
    seen: revisionOf([structure.title, structure.description]),
  })
}

/** Saves the title and description of the survey to the draft. */
export async function saveSurveyForm(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, root } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const change = textChange(request, defaultCode(structure))
  return save(request, { op: 'edit_survey', change }, 'Title and description edited', {
    heading: 'Title and description',
    path: `${root}edit/survey/`,
    back: `${root}edit/`,
    isCurrent: (now, seen) => revisionOf([now.title, now.description]) === seen,
  })
}

type Structure = Awaited<ReturnType<typeof findWorkingCopy>>['structure']

interface SavedForm extends Pick<TitleForm, 'heading' | 'path' | 'back'> {
  isCurrent(now: Structure, seen: string): boolean
}

async function save(
  request: SurveyRequest,
  operation: Operation,
  label: string,
  { isCurrent, ...shown }: SavedForm,
): Promise<PageResult> {
  const { survey, form } = request
  const seen = formValue(form, 'seen')
  const isAutomatic = formValue(form, 'do') === 'autosave'
  try {
    await request.write((writing) =>
      editDraft(writing, survey.id, operation, label, {
        isCurrent: (now) => !seen || isCurrent(now, seen),
        subject: isAutomatic ? shown.path : undefined,
      }),
    )
  } catch (error) {
    const messages = await rejectionOf(request, error, operation)
    const [title, description] = [formValue(form, 'title') ?? '', formValue(form, 'description') ?? '']
    // If the author saves again, the text replaces the change of the other author.
    return titlePage(
      request,
      { ...shown, title, description, seen: '' },
      alert(`Nothing was saved. ${messages.join(' ')}`),
    )
  }
  if (isAutomatic) return { redirect: shown.path }
  request.flash(`${label}.`)
  return { redirect: shown.back }
}
