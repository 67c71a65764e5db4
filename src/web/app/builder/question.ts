import { Readable } from 'node:stream'
import { MAX_IMAGE_BYTES, storeImage } from '../../../domain/file/image.ts'
import { imagePath } from '../../../domain/image/image.ts'
import { Problem } from '../../../domain/problem.ts'
import { findQuestion } from '../../../domain/structure/edit/apply-operation.ts'
import type { Structure, StructureQuestion } from '../../../domain/structure/structure.ts'
import { findWorkingCopy, revisionOf } from '../../../domain/survey/working-copy.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { spool } from '../../../lib/temporary-files.ts'
import { filteredKinds, type KnownKind, kindOf, questionTypes, typeOf } from '../../../questions/index.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FieldErrorTexts, select } from '../../forms/field.ts'
import { type FormFields, formValue, formValues } from '../../forms/form-fields.ts'
import { rejectedPage } from '../../forms/form-page.ts'
import { errorText, problemText } from '../../i18n/error-texts.ts'
import { storedText } from '../../i18n/stored-text.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { backLink, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { kindNameOf } from '../../questions/index.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { settingError } from './describe-errors.ts'
import { editorPage, hasSeen } from './editor-page.ts'
import { editMenu } from './menu.ts'
import { conflictAlert } from './page-form.ts'
import { parseItems, parseQuestion } from './question-fields.ts'
import { differencesOf, type QuestionForm, questionFields, storedValues } from './question-form.ts'
import { subjectsOf } from './rules.ts'
import { cardTitle, defaultCode } from './texts.ts'
import { cardAddress, filterPath } from './window.ts'

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
  return request.render({
    title: cardTitle(question, structure, code),
    side: editMenu(request, 'questions', true),
    beforeHeading: backLink(card, t('All questions')),
    content: html`<form method="post" action="${path}" class="card question-form"
        id="question-form"${questionTypes[form.kind].withImages && html` enctype="multipart/form-data"`}>
      ${csrfField(csrf)}
      <input type="hidden" name="seen" value="${revisionOf(question)}">
      <button class="hidden" name="do" value="save" tabindex="-1" aria-hidden="true">Save</button>
      <p class="facts"><span class="tag">${kindNameOf(form.kind)!.label}</span></p>
      ${rejection}
      ${questionFields(form, placeholderMenu(structure, question, code))}
      ${
        filteredKinds.has(form.kind) &&
        html`<p><a href="${filterPath(root, question.id)}">Show only choices that match an earlier answer</a></p>`
      }
      <div class="actions">
        <button class="primary" name="do" value="save">Save</button>
        <a class="button plain" href="${card}">Cancel</a>
      </div>
    </form>`,
  })
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
  const action = formValue(form, 'do') ?? 'save'
  const entered = (errors: FieldErrorTexts): QuestionForm => ({
    kind,
    value: (name) => formValues(form, name).join(','),
    choices: parseItems(form, 'choice'),
    rows: parseItems(form, 'row'),
    errors,
  })
  if (imageErrors.length > 0)
    return rejectedPage(questionPage(request, structure, question, entered(new Map()), rejectionView(imageErrors)))
  const path = pathWith(`${root}edit/question/`, { id })
  const title = formValue(form, 'title')?.trim().slice(0, 80) || storedText('Untitled question')
  return editorPage(request, {
    operation: { op: 'edit_question', id, change: parseQuestion(form, kind, code) },
    label: storedText('“{title}” edited', { title }),
    isCurrent: (now) => hasSeen(request, revisionOf(findQuestion(now, id).question)),
    subject: action === 'autosave' ? `question ${id}` : undefined,
    view: async (messages, problem) => {
      if (problem.code === 'question_not_found') throw problem
      const shown = entered(fieldErrors(problem, kind))
      const copy = await findWorkingCopy(context, survey.id)
      const now = findQuestion(copy.structure, id).question
      const rejection =
        problem.code === 'structure_changed'
          ? conflictAlert(copy, context.actor.username, path, differencesOf(storedValues(now, kind, code), shown))
          : rejectionView(messages)
      return questionPage(request, copy.structure, now, shown, rejection)
    },
    ...(action === 'save'
      ? { redirect: cardAddress(root, structure, id), flash: t('Question saved to the draft.') }
      : { redirect: `${path}#${anchorOf(action)}` }),
  })
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

/** The placeholders for the name and the email address of the invited person, with their labels. */
const INVITED = perLanguage(() => [
  { value: 'invite.name', label: t('Name of the invited person') },
  { value: 'invite.email', label: t('Email address of the invited person') },
])

/**
 * The form fields into which the buttons of the menu insert a placeholder, with the labels of the buttons. `ofHeading`
 * is the label if the question is a heading.
 */
const TARGETS = perLanguage(() => [
  { name: 'title', label: t('Insert into the question'), ofHeading: t('Insert into the heading') },
  { name: 'description', label: t('Insert into the description'), ofHeading: t('Insert into the text') },
])

/**
 * Renders a menu of placeholders for the texts of a question. When a respondent sees the text, each placeholder is
 * replaced with the answer to a question on an earlier page, with the value of a hidden field, or with the name or
 * email address of the invited person. In a browser without JavaScript, the buttons insert the placeholder at the end
 * of the text.
 */
function placeholderMenu(structure: Structure, { id, idname }: StructureQuestion, code: string): Html {
  const isHeading = typeOf(kindOf(idname))?.fieldType === null
  const { page } = findQuestion(structure, id)
  const answers = structure.form
    .flatMap(({ children }, index) =>
      children.filter((question) => {
        const { answeredBy } = typeOf(kindOf(question.idname)) ?? {}
        return index < page || answeredBy === 'link' || (index === page && answeredBy === 'assignment')
      }),
    )
    .filter((question) => question.id !== id && subjectsOf([question], code).some(({ name }) => name === question.id))
    .map((question) => ({
      value: question.id,
      label: t('Answer to “{value}”', { value: cardTitle(question, structure, code) }),
    }))
  return html`<details class="advanced placeholders">
    <summary>Insert an earlier answer or the name of the invited person</summary>
    ${select({
      name: 'placeholder',
      label: t('Value'),
      hint: t(
        'Each respondent sees their own answer, name or email address. You can insert answers to questions on earlier pages.',
      ),
      options: [...answers, ...INVITED()],
    })}
    <div class="card-actions">
      ${TARGETS().map(
        ({ name, label, ofHeading }) =>
          html`<button class="small" name="do" value="insert.${name}">${isHeading ? ofHeading : label}</button>`,
      )}
    </div>
  </details>`
}

/**
 * Returns the fields of a form. If a button of the menu was pressed, inserts the placeholder into the field of this
 * button.
 */
function insertPlaceholder(form: FormFields): FormFields {
  const target = TARGETS().find(({ name }) => formValue(form, 'do') === `insert.${name}`)?.name
  const name = formValue(form, 'placeholder')?.replace(/[{}|]/g, '')
  if (!target || !name) return form
  return { ...form, [target]: `${formValue(form, target) ?? ''} {{ ${name} }}`.trimStart() }
}

/** Stores an image that the script of the builder uploads. */
export async function saveImage(request: SurveyRequest): Promise<PageResult> {
  try {
    return { json: await storeFormImage(request, formValue(request.form, 'file') ?? '') }
  } catch (error) {
    const problem = request.toProblem(error)
    if (problem instanceof Problem) return { json: { error: problemText(problem) } }
    throw error
  }
}

/** A stored image, or a sentence with the reason why the image was rejected. */
type FormImage = { url: string } | { error: string }

/**
 * Stores the image that a form field contains as Base64.
 * @throws {Problem} `too_many_requests`; `unavailable` if the virus scanner or the object storage fails
 */
async function storeFormImage({ context, survey }: SurveyRequest, base64: string): Promise<FormImage> {
  await context.services.limits.uploads.consume(`account ${context.actor.id}`)
  const content = Readable.from([Buffer.from(base64, 'base64')])
  const file = await spool(content, '', MAX_IMAGE_BYTES, Number.POSITIVE_INFINITY)
  try {
    const image = await storeImage(context, survey.id, file)
    return 'code' in image ? { error: t('The image {error}.', { error: errorText(image) }) } : { url: imagePath(image) }
  } finally {
    await file.remove()
  }
}

/**
 * Stores the images of a form that was submitted without the script.
 * @returns the form with the URLs of the stored images, and for each rejected image the reason as a sentence
 */
async function storeFormImages(
  request: SurveyRequest,
  form: FormFields,
): Promise<{ form: FormFields; errors: string[] }> {
  const stored: Record<string, string> = {}
  const errors: string[] = []
  for (const name of Object.keys(form)) {
    const [, prefix, index] = /^(choice\.(\d+))\.file$/.exec(name) ?? []
    const base64 = prefix && formValue(form, name)
    if (!base64) continue
    const image = await storeFormImage(request, base64)
    if ('url' in image) stored[`${prefix}.image`] = image.url
    else errors.push(t('Choice {number}: {error}', { number: Number(index) + 1, error: image.error }))
  }
  return { form: { ...form, ...stored }, errors }
}
