import { sql } from 'kysely'
import type { Slice } from '../../lib/paging.ts'
import type { Context, PublicContext } from '../context.ts'
import { detail } from '../error-details.ts'
import { authorize, can, findAccess } from '../group/access.ts'
import { checkName, truncateName } from '../name.ts'
import { problems } from '../problem.ts'
import { surveyChain } from '../security/chain.ts'
import { recordFrequentActivity, recordOncePerHour } from '../security/record.ts'
import type { Structure } from '../structure/structure.ts'
import type { Tables } from '../tables.ts'
import { findWorkingCopy } from './working-copy.ts'

export const MAX_COMMENT_CHARACTERS = 2_000
const MAX_NAME_CHARACTERS = 80
const MAX_TITLE_CHARACTERS = 200
/** Maximum number of threads of a survey, of comments in a thread, and of comments through a preview link. */
const MAX_THREADS = 1_000
const MAX_COMMENTS = 100
const MAX_COMMENTS_OF_LINK = 300
/** Number of questions by which the page of a comment is recognised. */
const MAX_ANCHORS = 50
/** Who may read and write comments: the people who may see the questions. */
const READERS = ['Edit', 'Test'] as const

/** What a thread is about. */
export type CommentSubject =
  | { about: 'survey' }
  /** `page` counts from 1. */
  | { about: 'page'; page: number }
  | { about: 'question'; question: string }

/** Where a thread belongs now. */
export interface CommentPlace {
  about: CommentSubject['about']
  /** ID of the question; null for a page and for the survey. */
  question: string | null
  /** The page that has the question or is the page of the thread, from 1; null if it was removed, and for the survey. */
  page: number | null
  /** The title when the thread began. */
  title: string
  isRemoved: boolean
}

export interface Comment {
  id: number
  /** Empty if the comment was deleted. */
  text: string
  /** Null: a person with a preview link, or an account that no longer exists. */
  authorId: number | null
  author: string
  /** Whether a person without an account wrote the comment. */
  isReviewer: boolean
  createdAt: Date
}

export interface CommentThread extends CommentPlace {
  id: number
  resolvedAt: Date | null
  resolvedBy: number | null
  comments: readonly Comment[]
}

export type ThreadState = 'open' | 'resolved' | 'all'

/** Who reads or writes: a person of the survey, or a person with a preview link. */
type Author = { account: number } | { link: number; name: string }

const db = ({ em }: PublicContext) => em.getKysely<Tables>()

const threadsOf = (context: PublicContext, surveyId: number, state: ThreadState) => {
  const threads = db(context)
    .selectFrom('survey_comment')
    .where('survey_id', '=', surveyId)
    .where('thread_id', 'is', null)
  return state === 'all' ? threads : threads.where('resolved_at', state === 'open' ? 'is' : 'is not', null)
}

/** Which threads to return. */
interface ThreadSearch {
  state?: ThreadState | undefined
  /** ID of a question. */
  question?: string | undefined
  /** ID of a thread. */
  thread?: number | undefined
}

/**
 * Returns threads of comments, newest first, with their places in the draft (role Edit or Test).
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function listThreads(
  context: Context,
  surveyId: number,
  { state = 'open', question, thread }: ThreadSearch,
  { offset, limit }: Slice,
): Promise<{ total: number; threads: CommentThread[] }> {
  const { structure } = await findWorkingCopy(context, surveyId)
  let found = threadsOf(context, surveyId, state)
  if (question !== undefined)
    found = found.where('about', '=', 'question').where((eb) => eb(eb.val(question), '=', eb.fn.any('questions')))
  if (thread !== undefined) found = found.where('id', '=', thread)
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await found.selectAll().orderBy('id', 'desc').offset(offset).limit(limit).execute()
  return { total, threads: await withComments(context, rows, structure) }
}

/**
 * Returns the threads that people with a preview link began, oldest first.
 * @param structure what the link shows
 */
export async function threadsOfLink(
  context: PublicContext,
  surveyId: number,
  link: number,
  structure: Structure,
): Promise<CommentThread[]> {
  const threads = threadsOf(context, surveyId, 'all').where('link_id', '=', link)
  return withComments(context, await threads.selectAll().orderBy('id').limit(MAX_COMMENTS_OF_LINK).execute(), structure)
}

type ThreadRow = Awaited<ReturnType<ReturnType<ReturnType<typeof threadsOf>['selectAll']>['execute']>>[number]

async function withComments(
  context: PublicContext,
  threads: readonly ThreadRow[],
  structure: Structure,
): Promise<CommentThread[]> {
  if (threads.length === 0) return []
  const ids = threads.map(({ id }) => id)
  const rows = await db(context)
    .selectFrom('survey_comment')
    .leftJoin('account', 'account.id', 'survey_comment.author_id')
    .select(['survey_comment.id', 'thread_id', 'text', 'author_id', 'author_name', 'survey_comment.created_at'])
    .select(['account.name', 'account.username'])
    .where((eb) => eb.or([eb('survey_comment.id', 'in', ids), eb('thread_id', 'in', ids)]))
    .orderBy('survey_comment.id')
    .execute()
  const comments = Map.groupBy(rows, ({ id, thread_id }) => thread_id ?? id)
  const locate = locatorIn(structure)
  return threads.map((thread) => ({
    ...locate(thread),
    id: thread.id,
    resolvedAt: thread.resolved_at === null ? null : new Date(thread.resolved_at),
    resolvedBy: thread.resolved_by,
    comments: (comments.get(thread.id) ?? []).map(
      ({ id, text, author_id, author_name, created_at, name, username }) => ({
        id,
        text,
        authorId: author_id,
        author: name || username || author_name,
        isReviewer: author_name !== '',
        createdAt: new Date(created_at),
      }),
    ),
  }))
}

/**
 * Returns a function that finds the place of a thread in a structure. A page is the one that has most of the questions
 * that it had when the thread began.
 */
function locatorIn({ form }: Structure): (thread: Pick<ThreadRow, 'about' | 'questions' | 'title'>) => CommentPlace {
  const pages = new Map(form.flatMap(({ children }, page) => children.map(({ id }) => [id, page] as const)))
  return ({ about, questions, title }) => {
    const counts = new Map<number, number>()
    for (const id of questions) {
      const page = pages.get(id)
      if (page !== undefined) counts.set(page, (counts.get(page) ?? 0) + 1)
    }
    const [best] = [...counts].sort(([a, one], [b, other]) => other - one || a - b)
    return {
      about: about as CommentPlace['about'],
      question: about === 'question' ? questions[0]! : null,
      page: best ? best[0] + 1 : null,
      title,
      isRemoved: about !== 'survey' && !best,
    }
  }
}

/** The numbers of open threads of a survey. */
export interface OpenThreads {
  total: number
  byQuestion: ReadonlyMap<string, number>
  /** By position of the page, from 0. */
  byPage: ReadonlyMap<number, number>
}

/** Returns the numbers of open threads. The caller has checked that the actor may read them. */
export async function countOpenThreads(context: Context, surveyId: number, structure: Structure): Promise<OpenThreads> {
  const rows = await threadsOf(context, surveyId, 'open').select(['about', 'questions', 'title']).execute()
  const [byQuestion, byPage] = [new Map<string, number>(), new Map<number, number>()]
  const locate = locatorIn(structure)
  for (const { question, page } of rows.map(locate)) {
    if (question !== null) byQuestion.set(question, (byQuestion.get(question) ?? 0) + 1)
    else if (page !== null) byPage.set(page - 1, (byPage.get(page - 1) ?? 0) + 1)
  }
  return { total: rows.length, byQuestion, byPage }
}

/**
 * Begins a thread (role Edit or Test).
 * @throws {Problem} `survey_not_found`, `forbidden`, `question_not_found`, `invalid_request`
 */
export async function createComment(
  context: Context,
  surveyId: number,
  subject: CommentSubject,
  text: string,
): Promise<CommentThread> {
  const { structure } = await findWorkingCopy(context, surveyId)
  const id = await beginThread(context, surveyId, structure, subject, text, { account: context.actor.id })
  await recordFrequentActivity(context, surveyId, 'survey_commented')
  return findThread(context, surveyId, id)
}

/**
 * Begins a thread for a person with a preview link that permits comments. The caller has checked the link. The same
 * comment of the same person is not stored twice, because browsers send a form again when a page is reloaded.
 * @param structure what the link shows
 * @throws {Problem} `question_not_found`, `invalid_request`
 */
export async function createReviewComment(
  context: PublicContext,
  surveyId: number,
  structure: Structure,
  subject: CommentSubject,
  { link, name: written, text }: { link: number; name: string; text: string },
): Promise<void> {
  const name = checkName(written, 'name', MAX_NAME_CHARACTERS)
  await lock(context, surveyId)
  const { count } = await db(context)
    .selectFrom('survey_comment')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('link_id', '=', link)
    .executeTakeFirstOrThrow()
  if (count >= MAX_COMMENTS_OF_LINK) throw tooMany(MAX_COMMENTS_OF_LINK)
  await beginThread(context, surveyId, structure, subject, text, { link, name })
  await recordOncePerHour(context, surveyChain(surveyId), 'survey_commented', { survey: surveyId, link, by: 0 })
}

async function beginThread(
  context: PublicContext,
  surveyId: number,
  structure: Structure,
  subject: CommentSubject,
  written: string,
  author: Author,
): Promise<number> {
  const text = checkText(written)
  await lock(context, surveyId)
  const anchor = anchorOf(structure, subject)
  const threads = threadsOf(context, surveyId, 'all')
  const { count } = await threads.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  if (count >= MAX_THREADS) throw tooMany(MAX_THREADS)
  if ('link' in author) {
    const same = await threads
      .select('id')
      .where('link_id', '=', author.link)
      .where('author_name', '=', author.name)
      .where('text', '=', text)
      .where('about', '=', subject.about)
      .where((eb) => eb('questions', '=', eb.cast<string[]>(eb.val(anchor.questions), sql`text[]` as never)))
      .executeTakeFirst()
    if (same) return same.id
  }
  return insert(context, surveyId, { ...anchor, about: subject.about, thread_id: null }, text, author)
}

/**
 * Locks a survey against other comments until the commit, so that their limits hold. Responses are not blocked.
 */
const lock = (context: PublicContext, surveyId: number) =>
  db(context).selectFrom('survey').select('id').where('id', '=', surveyId).forNoKeyUpdate().execute()

const tooMany = (max: number) =>
  problems.invalidField('text', 'limit_reached', { max }, detail('too_many_comments', { max }))

function checkText(written: string): string {
  const text = written.replace(/\r\n?/g, '\n').trim()
  if (!text) throw problems.invalidField('text', 'blank')
  if (Array.from(text).length > MAX_COMMENT_CHARACTERS)
    throw problems.invalidField('text', 'too_long', { max: MAX_COMMENT_CHARACTERS })
  return text
}

/** @throws {Problem} `question_not_found`; `invalid_request` for a page that does not exist or has no question */
function anchorOf(structure: Structure, subject: CommentSubject): { questions: string[]; title: string } {
  if (subject.about === 'survey') return { questions: [], title: '' }
  const titled = (title: Readonly<Record<string, string>> | undefined) => {
    const code = structure.languages.find(({ isDefault }) => isDefault)?.code ?? 'en'
    return truncateName(title?.[code] || Object.values(title ?? {}).find(Boolean) || '', MAX_TITLE_CHARACTERS)
  }
  if (subject.about === 'page') {
    const page = structure.form[subject.page - 1]
    if (!page?.children.length) throw problems.invalidField('page', 'not_found', {}, detail('page_without_questions'))
    return { questions: page.children.slice(0, MAX_ANCHORS).map(({ id }) => id), title: titled(page.title) }
  }
  const question = structure.form.flatMap(({ children }) => children).find(({ id }) => id === subject.question)
  if (!question) throw problems.questionNotFound()
  return { questions: [question.id], title: titled(question.title) }
}

async function insert(
  context: PublicContext,
  surveyId: number,
  place: { thread_id: number | null; about: string; questions: string[]; title: string },
  text: string,
  author: Author,
): Promise<number> {
  const by =
    'account' in author
      ? { author_id: author.account, link_id: null, author_name: '' }
      : { author_id: null, link_id: author.link, author_name: author.name }
  const { id } = await db(context)
    .insertInto('survey_comment')
    .values({ survey_id: surveyId, ...place, ...by, text, created_at: context.now })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/**
 * Returns a thread (role Edit or Test).
 * @throws {Problem} `survey_not_found`, `forbidden`, `comment_not_found`
 */
export async function findThread(context: Context, surveyId: number, id: number): Promise<CommentThread> {
  const { threads } = await listThreads(context, surveyId, { state: 'all', thread: id }, { offset: 0, limit: 1 })
  const [thread] = threads
  if (!thread) throw problems.commentNotFound()
  return thread
}

/**
 * Adds a comment to a thread, and opens the thread again if it was resolved (role Edit or Test).
 * @throws {Problem} `survey_not_found`, `forbidden`, `comment_not_found`, `invalid_request`
 */
export async function replyToComment(
  context: Context,
  surveyId: number,
  thread: number,
  written: string,
): Promise<CommentThread> {
  const text = checkText(written)
  await authorize(context, surveyId, READERS)
  await lock(context, surveyId)
  const { comments } = await findThread(context, surveyId, thread)
  if (comments.length >= MAX_COMMENTS) throw tooMany(MAX_COMMENTS)
  const place = { thread_id: thread, about: 'reply', questions: [], title: '' }
  await insert(context, surveyId, place, text, { account: context.actor.id })
  await setResolved(context, thread, null)
  await recordFrequentActivity(context, surveyId, 'survey_commented')
  return findThread(context, surveyId, thread)
}

/**
 * Resolves a thread, or opens it again (role Edit or Test).
 * @throws {Problem} `survey_not_found`, `forbidden`, `comment_not_found`
 */
export async function resolveThread(
  context: Context,
  surveyId: number,
  id: number,
  isResolved: boolean,
): Promise<CommentThread> {
  const { resolvedAt } = await findThread(context, surveyId, id)
  if ((resolvedAt !== null) !== isResolved) await setResolved(context, id, isResolved ? context.now : null)
  return findThread(context, surveyId, id)
}

const setResolved = (context: Context, id: number, at: Date | null) =>
  db(context)
    .updateTable('survey_comment')
    .set({ resolved_at: at, resolved_by: at === null ? null : context.actor.id })
    .where('id', '=', id)
    .execute()

/**
 * Deletes a comment of the actor; the owner of the survey can delete any. The first comment of a thread with replies
 * loses its text, so that the replies can still be read.
 * @throws {Problem} `survey_not_found`, `comment_not_found`, `forbidden`
 */
export async function deleteComment(context: Context, surveyId: number, id: number): Promise<void> {
  const access = await findAccess(context, surveyId)
  await authorize(context, surveyId, READERS)
  await lock(context, surveyId)
  const ofSurvey = db(context).selectFrom('survey_comment').where('survey_id', '=', surveyId)
  const comment = await ofSurvey.select(['id', 'author_id', 'thread_id']).where('id', '=', id).executeTakeFirst()
  if (!comment) throw problems.commentNotFound()
  if (comment.author_id !== context.actor.id && !can(access, 'Owner'))
    throw problems.forbidden('delete comments of other people')
  const reply = await ofSurvey.select('id').where('thread_id', '=', id).limit(1).executeTakeFirst()
  if (reply) {
    await db(context).updateTable('survey_comment').set({ text: '', informed: true }).where('id', '=', id).execute()
    return
  }
  await db(context).deleteFrom('survey_comment').where('id', '=', id).execute()
  if (comment.thread_id === null) return
  // A deleted first comment without replies has nothing left to show.
  await db(context)
    .deleteFrom('survey_comment')
    .where('id', '=', comment.thread_id)
    .where('text', '=', '')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('survey_comment as reply').select('reply.id').where('reply.thread_id', '=', comment.thread_id),
        ),
      ),
    )
    .execute()
}
