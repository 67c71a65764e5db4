import { kilobytes } from '../domain/limits.ts'
import { Problem } from '../domain/problem.ts'
import { expandLoops, originOf } from '../domain/structure/loop.ts'
import type { Page } from '../domain/structure/questionnaire.ts'
import type { Structure } from '../domain/structure/structure.ts'
import { type CommentSubject, createReviewComment, threadsOfLink } from '../domain/survey/comments.ts'
import { openPreviewLink, type SharedPreview } from '../domain/survey/preview-links.ts'
import { type Html, html } from '../lib/html.ts'
import { commentView, nameOfPlace } from './app/builder/comments.ts'
import { renderPreview } from './app/builder/preview.ts'
import { cardTitle, defaultCode } from './app/builder/texts.ts'
import { denyFraming } from './csp.ts'
import { alert, errorSentence, type FormErrors, fieldErrorsOf } from './forms/field.ts'
import { type FormFields, formValue } from './forms/form-fields.ts'
import { pageDirection, pageLanguage } from './i18n/page-locale.ts'
import { t } from './i18n/t.ts'
import type { PageRequest, PageResult } from './page.ts'
import { countSubmission, countSurveyRequest } from './respondent/rate-limit.ts'

/** The form has the answers to all pages so far, because nothing is stored. */
const MAX_FORM_BYTES = 2 * 1024 * 1024

/**
 * Shows the preview of a survey to a person with a preview link. Of the submitted form, only answers are read, so that
 * nobody can show a structure of their own at this address, and a comment if the link permits comments. Answers are not
 * stored.
 */
export async function showSharedPreview(request: PageRequest): Promise<PageResult> {
  const { ctx, context, query, params } = request
  denyFraming(ctx)
  // The address is a secret, which pages of this site do not need either.
  ctx.set('Referrer-Policy', 'no-referrer')
  ctx.set('X-Robots-Tag', 'noindex, nofollow')
  await countSurveyRequest(request)
  const shared = await openPreviewLink(context, params.key ?? '')
  const form = ctx.method === 'POST' ? await readForm(request) : {}
  const comment = shared.link.comments ? await storeComment(request, shared, form) : undefined
  const { structure, removed, snapshot } = shared
  const { settings, theme, texts } = snapshot
  return renderPreview(
    { ctx, context, query, form: isComment(form) ? { ...form, _leaf: formValue(form, '_page') ?? '' } : form },
    {
      ...{ structure, before: { structure, removed }, settings, theme, texts },
      action: `/preview/${params.key}/`,
      below: comment && ((page, formId) => commentsView(request, shared, { ...comment, form, page, formId })),
    },
  )
}

async function readForm(request: PageRequest): Promise<FormFields> {
  const form = await request.form(MAX_FORM_BYTES)
  if (formValue(form, '_go') !== 'look')
    await countSubmission(request, kilobytes(request.ctx.request.length ?? MAX_FORM_BYTES))
  return form
}

const isComment = (form: FormFields): boolean => formValue(form, '_go') === 'comment'

/** A comment that was sent, or is still in its field. */
interface SentComment {
  isStored: boolean
  rejected?: FormErrors
}

/** Stores the comment of a submitted form. */
async function storeComment(request: PageRequest, shared: SharedPreview, form: FormFields): Promise<SentComment> {
  if (!isComment(form)) return { isStored: false }
  const { context, deps } = request
  const comment = {
    link: shared.link.id,
    name: formValue(form, '_reviewer') ?? '',
    text: formValue(form, '_comment') ?? '',
  }
  try {
    await deps
      .fork()
      .transactional((em) =>
        createReviewComment(
          { ...context, em },
          shared.snapshot.id,
          shared.structure,
          subjectOf(form, shared.structure),
          comment,
        ),
      )
    return { isStored: true }
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid') throw error
    return { isStored: false, rejected: fieldErrorsOf(error, ['name', 'text']) }
  }
}

/** Returns what the comment is about: `page`, `survey` or the ID of a question. */
function subjectOf(form: FormFields, structure: Structure): CommentSubject {
  const about = formValue(form, '_about') ?? ''
  if (about.startsWith('question ')) return { about: 'question', question: about.slice('question '.length) }
  if (about === 'survey') return { about }
  const number = Number(formValue(form, '_page')) || 1
  const page = expandLoops(structure).form[number - 1]
  return { about: 'page', page: ((page && originOf(page)) ?? number - 1) + 1 }
}

/** Renders the comments of people with this link on a page, with the answers of the team, and the fields for another. */
async function commentsView(
  { context }: PageRequest,
  { link, snapshot, structure }: SharedPreview,
  { isStored, rejected, form, page, formId }: SentComment & { form: FormFields; page: Page; formId: string },
): Promise<Html> {
  const threads = await threadsOfLink(context, snapshot.id, link.id, structure)
  const shown = threads.filter((thread) => thread.page === page.at + 1 || thread.about === 'survey')
  const code = defaultCode(structure)
  const questions = structure.form[page.at]?.children ?? []
  const chosen = formValue(form, '_about')
  const option = (value: string, label: string) =>
    html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`
  const error = (name: string, label: string) => {
    const text = rejected?.errors.get(name)
    return text !== undefined && html`<p class="error" id="${name}-error">${errorSentence(label, text)}</p>`
  }
  const invalid = (name: string) =>
    rejected?.errors.has(name) && html` aria-invalid="true" aria-describedby="${name}-error"`
  return html`<section class="review" aria-labelledby="review" lang="${pageLanguage()}" dir="${pageDirection()}">
    <h2 id="review">Comments</h2>
    ${isStored && html`<p role="status" tabindex="-1" autofocus>Your comment was added.</p>`}
    ${alert(rejected?.general)}
    ${
      shown.length > 0 &&
      html`<ul>${shown.map(
        (thread) => html`<li>
          <h3>${nameOfPlace(thread, structure)}${thread.resolvedAt && html` <span class="soft">(resolved)</span>`}</h3>
          ${thread.comments.map(commentView)}
        </li>`,
      )}</ul>`
    }
    <p>
      <label for="about">Comment on</label>
      <select class="box" id="about" name="_about" form="${formId}">
        ${questions.map((question) => option(`question ${question.id}`, cardTitle(question, structure, code)))}
        ${questions.length > 0 && option('page', t('this page'))}
        ${option('survey', t('the survey'))}
      </select>
    </p>
    <div>
      <label for="text">Comment</label>
      ${error('text', t('Comment'))}
      <textarea class="box" id="text" name="_comment" form="${formId}" rows="3" maxlength="2000"${invalid('text')}>${
        isStored ? '' : (formValue(form, '_comment') ?? '')
      }</textarea>
    </div>
    <div>
      <label for="name">Your name</label>
      ${error('name', t('Your name'))}
      <input class="box" id="name" name="_reviewer" form="${formId}" maxlength="80" autocomplete="name"
          value="${formValue(form, '_reviewer') ?? ''}"${invalid('name')}>
    </div>
    <p><button form="${formId}" name="_go" value="comment">Add comment</button></p>
  </section>`
}
