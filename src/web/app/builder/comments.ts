import { can } from '../../../domain/group/access.ts'
import { getsCommentEmails, setCommentEmails } from '../../../domain/notification/comments.ts'
import type { Structure } from '../../../domain/structure/structure.ts'
import {
  type Comment,
  type CommentPlace,
  type CommentSubject,
  type CommentThread,
  createComment,
  deleteComment,
  listThreads,
  MAX_COMMENT_CHARACTERS,
  replyToComment,
  resolveThread,
  type ThreadState,
} from '../../../domain/survey/comments.ts'
import { findWorkingCopy } from '../../../domain/survey/working-copy.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, textArea } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import { timeTag } from '../../layout/format.ts'
import { backLink, pager, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { editMenu } from './menu.ts'
import { cardTitle, defaultCode, nameOfPage } from './texts.ts'
import { cardAddress, pageAddress } from './window.ts'

const THREADS_PER_PAGE = 20

/** The form that was rejected: that of a new thread, or the reply to a thread. */
interface Rejected extends FormErrors {
  thread: number | undefined
}

/** Returns the path of the comments on a question. */
export const commentsPath = (root: string, about: { question?: string; page?: number } = {}): string =>
  pathWith(`${root}edit/comments/`, about)

/** Lists the comments on a survey, or on one of its questions or pages. */
export const showComments = (request: SurveyRequest): Promise<PageResult> => commentsPage(request)

async function commentsPage(request: SurveyRequest, rejected?: Rejected): Promise<PageResult> {
  const { context, survey, root, query } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const state: ThreadState = query.get('state') === 'resolved' ? 'resolved' : 'open'
  const question = query.get('question') ?? undefined
  const number = Math.max(1, Number.parseInt(query.get('list') ?? '1', 10) || 1)
  const slice = { offset: (number - 1) * THREADS_PER_PAGE, limit: THREADS_PER_PAGE }
  const { total, threads } = await listThreads(context, survey.id, { state, question }, slice)
  const subject = subjectIn(query)
  const path = (list: number, shown: ThreadState = state) =>
    pathWith(`${root}edit/comments/`, {
      question,
      page: query.get('page') ?? undefined,
      state: shown === 'resolved' ? shown : undefined,
      list: list > 1 ? list : undefined,
    })
  const tab = (shown: ThreadState, label: string) =>
    html`<li><a href="${path(1, shown)}"${shown === state && html` aria-current="page"`}>${label}</a></li>`
  return request.render({
    title: t('Comments'),
    side: editMenu(request, 'questions', true),
    beforeHeading: backLink(`${root}edit/`, t('All questions')),
    content: html`
      ${newCommentForm(request, structure, subject, rejected)}
      <nav class="subtabs" aria-label="State of the comments">
        <ul>${tab('open', t('Open'))}${tab('resolved', t('Resolved'))}</ul>
      </nav>
      ${question !== undefined && html`<p class="below"><a href="${root}edit/comments/">All comments</a></p>`}
      ${
        threads.length === 0
          ? html`<p class="soft below">${state === 'open' ? t('No open comments.') : t('No resolved comments.')}</p>`
          : threads.map((thread) => threadView(request, structure, thread, rejected))
      }
      ${pager({ number, total, size: THREADS_PER_PAGE, path })}
      ${await emailsForm(request)}`,
  })
}

/** Returns what a new comment is about: the question or the page (from 1) in the query, or else the survey. */
function subjectIn(query: URLSearchParams): CommentSubject {
  const question = query.get('question')
  if (question !== null) return { about: 'question', question }
  const page = Number(query.get('page'))
  return Number.isInteger(page) && page > 0 ? { about: 'page', page } : { about: 'survey' }
}

function newCommentForm(
  { root, csrf, form }: SurveyRequest,
  structure: Structure,
  subject: CommentSubject,
  rejected: Rejected | undefined,
): Part {
  const place: CommentPlace = {
    about: subject.about,
    question: subject.about === 'question' ? subject.question : null,
    page: subject.about === 'page' && structure.form[subject.page - 1] ? subject.page : null,
    title: '',
    isRemoved: false,
  }
  if (subject.about === 'question' && !questionIn(structure, subject.question)) return null
  const own = rejected?.thread === undefined ? rejected : undefined
  return html`<section class="card" aria-labelledby="new">
    <h2 id="new">${t('Comment on {place}', { place: nameOfPlace(place, structure) })}</h2>
    ${alert(own?.general)}
    <form method="post" action="${commentsPath(root, subjectQuery(subject))}">
      ${csrfField(csrf)}
      ${textArea({
        name: 'text',
        label: t('Comment'),
        prose: true,
        rows: 3,
        value: own ? (formValue(form, 'text') ?? '') : '',
        errors: own?.errors,
      })}
      <button class="primary">Comment</button>
    </form>
  </section>`
}

const subjectQuery = (subject: CommentSubject): { question?: string; page?: number } =>
  subject.about === 'question' ? { question: subject.question } : subject.about === 'page' ? { page: subject.page } : {}

const questionIn = ({ form }: Structure, id: string | null) =>
  form.flatMap(({ children }) => children).find((question) => question.id === id)

/** Returns the name of what a thread is about; for a removed question or page, its title then. */
export function nameOfPlace({ about, question: id, page, title }: CommentPlace, structure: Structure): string {
  if (about === 'survey') return t('the survey')
  const code = defaultCode(structure)
  const question = about === 'question' ? questionIn(structure, id) : undefined
  if (question) return t('“{title}”', { title: cardTitle(question, structure, code) })
  if (about === 'page' && page !== null) return nameOfPage(structure.form[page - 1]!, page - 1, code)
  return title ? t('“{title}”', { title }) : about === 'page' ? t('a page') : t('a question')
}

function threadView(
  { root, csrf, form, context, access }: SurveyRequest,
  structure: Structure,
  thread: CommentThread,
  rejected: Rejected | undefined,
): Html {
  const { id, question, page, isRemoved, resolvedAt, comments } = thread
  const name = nameOfPlace(thread, structure)
  const path = `${root}edit/comments/${id}/`
  const own = rejected?.thread === id ? rejected : undefined
  const address =
    question !== null && !isRemoved
      ? cardAddress(root, structure, question)
      : page !== null
        ? pageAddress(root, structure, page - 1)
        : undefined
  const isMine = ({ authorId, text }: Comment) => text !== '' && (authorId === context.actor.id || can(access, 'Owner'))
  return html`<section class="card thread" aria-labelledby="thread-${id}">
    <h2 id="thread-${id}">${address === undefined ? name : html`<a href="${address}">${name}</a>`}${
      isRemoved && html` <span class="tag open">removed</span>`
    }</h2>
    <ol class="comments">${comments.map(
      (comment) =>
        html`<li>${commentView(comment)}${
          isMine(comment) &&
          html`<form method="post" action="${root}edit/comments/${comment.id}/delete/">
          ${csrfField(csrf)}
          <button class="quiet small" aria-label="Delete this comment by ${comment.author}">Delete</button>
        </form>`
        }</li>`,
    )}</ol>
    <form method="post" action="${path}reply/">
      ${csrfField(csrf)}
      ${alert(own?.general)}
      ${textArea({
        name: 'text',
        id: `reply-${id}`,
        label: t('Reply'),
        prose: true,
        rows: 2,
        value: own ? (formValue(form, 'text') ?? '') : '',
        errors: own?.errors,
      })}
      <div class="button-row">
        <button class="small">Reply<span class="hidden"> on ${name}</span></button>
        <button class="quiet small" formaction="${path}resolve/" formnovalidate name="resolved"
            value="${resolvedAt ? '0' : '1'}">
          ${resolvedAt ? t('Reopen') : t('Resolve')}<span class="hidden"> ${name}</span>
        </button>
      </div>
    </form>
  </section>`
}

/** Renders a comment with its author and time. */
export const commentView = ({ text, author, isReviewer, createdAt }: Comment): Html =>
  html`<div>
    <p class="soft">
      <strong>${author || t('deleted account')}</strong>${isReviewer && html` (reviewer)`}, ${timeTag(createdAt)}
    </p>
    <p class="comment-text">${text === '' ? t('This comment was deleted.') : text}</p>
  </div>`

async function emailsForm({ context, survey, root, csrf }: SurveyRequest): Promise<Html> {
  const isOn = await getsCommentEmails(context, survey.id)
  return html`<form method="post" action="${root}edit/comments/emails/" class="below">
    ${csrfField(csrf)}
    <p class="soft">
      ${
        isOn
          ? t('You get an email about new comments that concern you, at most every ten minutes.')
          : t('You get no emails about comments on this survey.')
      }
      <button class="quiet small" name="emails" value="${isOn ? '0' : '1'}">
        ${isOn ? t('Turn the emails off') : t('Turn the emails on')}
      </button>
    </p>
  </form>`
}

/** Begins a thread. */
export function saveComment(request: SurveyRequest): Promise<PageResult> {
  const subject = subjectIn(request.query)
  return formPage(request, {
    fields: ['text'],
    act: (context) => createComment(context, request.survey.id, subject, formValue(request.form, 'text') ?? ''),
    view: ({ errors, general }) => commentsPage(request, { errors, general, thread: undefined }),
    done: () => ({ redirect: commentsPath(request.root, subjectQuery(subject)), flash: t('Comment added.') }),
  })
}

/** Adds a comment to a thread. */
export function saveReply(request: SurveyRequest): Promise<PageResult> {
  const thread = parseId(request.params.comment)
  return formPage(request, {
    fields: ['text'],
    act: (context) => replyToComment(context, request.survey.id, thread, formValue(request.form, 'text') ?? ''),
    view: ({ errors, general }) => commentsPage(request, { errors, general, thread }),
    done: () => ({ redirect: `${commentsPath(request.root)}#thread-${thread}`, flash: t('Reply added.') }),
  })
}

/** Resolves a thread or opens it again. A reply that was typed is kept as the last comment. */
export async function saveResolved(request: SurveyRequest): Promise<PageResult> {
  const thread = parseId(request.params.comment)
  const isResolved = formValue(request.form, 'resolved') !== '0'
  const text = formValue(request.form, 'text') ?? ''
  await request.write(async (context) => {
    if (text.trim() !== '')
      await replyToComment(context, request.survey.id, thread, text.slice(0, MAX_COMMENT_CHARACTERS))
    await resolveThread(context, request.survey.id, thread, isResolved)
  })
  request.flash(isResolved ? t('Resolved.') : t('Opened again.'))
  return { redirect: commentsPath(request.root) }
}

export async function removeComment(request: SurveyRequest): Promise<PageResult> {
  await request.write((context) => deleteComment(context, request.survey.id, parseId(request.params.comment)))
  request.flash(t('Comment deleted.'))
  return { redirect: commentsPath(request.root) }
}

export async function saveCommentEmails(request: SurveyRequest): Promise<PageResult> {
  const isOn = formValue(request.form, 'emails') === '1'
  await request.write((context) => setCommentEmails(context, request.survey.id, isOn))
  request.flash(isOn ? t('Emails about comments turned on.') : t('Emails about comments turned off.'))
  return { redirect: commentsPath(request.root) }
}
