import { Problem } from '../../../domain/problem.ts'
import { FILTERED_KINDS } from '../../../domain/structure/choice-attributes.ts'
import { findQuestion } from '../../../domain/structure/edit/apply-operation.ts'
import type { Operation } from '../../../domain/structure/edit/operation.ts'
import { type KnownKind, kindOf } from '../../../domain/structure/kinds.ts'
import type { Structure, StructureQuestion } from '../../../domain/structure/structure.ts'
import { editDraft } from '../../../domain/survey/drafts.ts'
import { findWorkingCopy, revisionOf } from '../../../domain/survey/working-copy.ts'
import { html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FieldErrorTexts } from '../../forms/field.ts'
import { formValue, formValues } from '../../forms/form-fields.ts'
import { serializeText, storedText } from '../../i18n/stored-text.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import { pathWith } from '../../layout/pager.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { rejectionOf } from './change.ts'
import { conflictAlert } from './conflict.ts'
import { filterPath } from './filter.ts'
import { storeFormImages } from './image.ts'
import { kindNameOf } from './kinds.ts'
import { editMenu } from './menu.ts'
import { parseItems, parseQuestion } from './parse-question.ts'
import { insertPlaceholder, placeholderMenu } from './placeholder-menu.ts'
import { differencesOf, type QuestionForm, questionFields, storedValues } from './question-form.ts'
import { settingError } from './setting-error.ts'
import { cardTitle, defaultCode } from './texts.ts'
import { cardAddress } from './window.ts'

/** Shows the form of a question. A question of an unknown type opens in the JSON editor. */
export async function showQuestion(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, query, root } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const { question } = findQuestion(structure, query.get('id') ?? '')
  const kind = kindOf(question.idname)
  if (kind === 'unknown') return { redirect: `${root}edit/json/` }
  const code = defaultCode(structure)
  return questionPage(request, structure, question, { ...storedValues(question, kind, code), errors: new Map() })
}

function questionPage(
  request: SurveyRequest,
  structure: Structure,
  question: StructureQuestion,
  form: QuestionForm,
  rejection: Part = null,
): PageResult {
  const { root, csrf } = request
  const code = defaultCode(structure)
  const path = pathWith(`${root}edit/question/`, { id: question.id })
  const card = cardAddress(root, structure, question.id)
  return request.render(
    {
      title: cardTitle(question, structure, code),
      action: editMenu(request, 'questions', true),
      beforeHeading: backLink(card, t('All questions')),
      content: html`<form method="post" action="${path}" class="card question-form" id="question-form"${form.kind === 'image-choice' && html` enctype="multipart/form-data"`}>${csrfField(csrf)}<input type="hidden" name="seen" value="${revisionOf(question)}">
<button class="hidden" name="do" value="save" tabindex="-1" aria-hidden="true">Save</button><p class="facts"><span class="tag">${kindNameOf(form.kind)!.label}</span></p>${rejection}
${questionFields(form, placeholderMenu(structure, question, code))}${
  FILTERED_KINDS.has(form.kind) &&
  html`<p><a href="${filterPath(root, question.id)}">Show only choices that match an earlier answer</a></p>`
}
<div class="actions"><button class="primary" name="do" value="save">Save</button><a class="button plain" href="${card}">Cancel</a></div></form>`,
    },
    rejection ? 422 : 200,
  )
}

/**
 * Saves the form of a question to the draft. The buttons that add, move and remove choices also save the form, and then
 * show it again.
 */
export async function saveQuestion(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, query, root } = request
  const { form, errors: imageErrors } = await storeFormImages(request, insertPlaceholder(request.form))
  const id = query.get('id') ?? ''
  const { structure } = await findWorkingCopy(context, survey.id)
  const { question } = findQuestion(structure, id)
  const kind = kindOf(question.idname)
  if (kind === 'unknown') return { redirect: `${root}edit/json/` }
  const code = defaultCode(structure)
  const operation: Operation = { op: 'edit_question', id, change: parseQuestion(form, kind, code) }
  const seen = formValue(form, 'seen')
  const action = formValue(form, 'do') ?? 'save'
  const entered = (errors: FieldErrorTexts): QuestionForm => ({
    kind,
    value: (name) => formValues(form, name).join(','),
    choices: parseItems(form, 'choice'),
    rows: parseItems(form, 'row'),
    errors,
  })
  if (imageErrors.length > 0)
    return questionPage(request, structure, question, entered(new Map()), rejectionView(imageErrors))
  try {
    const isCurrent = (now: typeof structure) =>
      seen === undefined || revisionOf(findQuestion(now, id).question) === seen
    const entered = formValue(form, 'title')?.trim().slice(0, 80)
    const title = entered || storedText('Untitled question')
    const subject = action === 'autosave' ? `question ${id}` : undefined
    await request.write((writing) =>
      editDraft(writing, survey.id, operation, serializeText(storedText('“{title}” edited', { title })), {
        isCurrent,
        subject,
      }),
    )
  } catch (error) {
    const problem = request.toProblem(error)
    if (problem instanceof Problem && problem.code === 'question_not_found') throw error
    const messages = await rejectionOf(request, error, operation)
    const shown = entered(problem instanceof Problem ? fieldErrors(problem, kind) : new Map())
    const copy = await findWorkingCopy(context, survey.id)
    const now = findQuestion(copy.structure, id).question
    const path = pathWith(`${root}edit/question/`, { id })
    const rejection =
      problem instanceof Problem && problem.code === 'structure_changed'
        ? conflictAlert(copy, context.actor.username, path, differencesOf(storedValues(now, kind, code), shown))
        : rejectionView(messages)
    return questionPage(request, copy.structure, now, shown, rejection)
  }
  if (action !== 'save') return { redirect: `${pathWith(`${root}edit/question/`, { id })}#${anchorOf(action)}` }
  request.flash(t('Question saved to the draft.'))
  return { redirect: cardAddress(root, structure, id) }
}

/** Returns the ID of the element that the pressed button has changed. */
const anchorOf = (action: string): string =>
  action.startsWith('insert.') ? action.replace('insert.', '') : action.includes('.row.') ? 'rows' : 'choices'

/**
 * Returns the errors of an invalid structure by form field. The last member name in the JSON pointer of an error is
 * usually the name of the field.
 */
const fieldErrors = ({ errors }: Problem, kind: KnownKind): FieldErrorTexts =>
  new Map(errors.map((error) => [fieldOf(error.field), settingError(error, kind)]))

function fieldOf(pointer: string): string {
  const steps = pointer.split('/')
  const image = /\/choices\/(\d+)\/image\/(url|alt)/.exec(pointer)
  if (image) return `choice.${image[1]}.${image[2] === 'url' ? 'image' : 'alt'}`
  if (steps.includes('choices')) return 'choices'
  const member = steps.findLast((step) => !/^\d+$/.test(step)) ?? ''
  if (member === 'children' || member === 'label') return 'rows'
  return member
}

const rejectionView = (messages: readonly string[]): Part =>
  alert(html`Nothing was saved. ${messages.map((message) => html`${message} `)}`)
