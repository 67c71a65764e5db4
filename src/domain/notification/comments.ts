import type { Context, PublicContext } from '../context.ts'
import { can } from '../group/access.ts'
import { truncateName } from '../name.ts'
import { accessIn } from '../survey/queries.ts'
import { getSnapshot } from '../survey/snapshot.ts'
import { notifyOwner } from '../system-email.ts'
import type { Tables } from '../tables.ts'

/** How long comments are collected for one email, from the first of them. */
const COLLECTING_MS = 600_000
/** Maximum number of surveys in a run, of comments in an email, and of comments that one run handles of a survey. */
const MAX_SURVEYS = 200
const MAX_SHOWN = 10
const MAX_COMMENTS = 500
const MAX_SHOWN_CHARACTERS = 200

const db = ({ em }: PublicContext) => em.getKysely<Tables>()

/**
 * Queues the emails about new comments: one for each person and survey, ten minutes after the first comment. The owner
 * and the people who wrote in the thread get them, unless they wrote the comment themselves or turned the emails off.
 * @param signal ends the run between two surveys
 */
export async function enqueueCommentEmails(context: PublicContext, signal: AbortSignal): Promise<void> {
  const since = new Date(context.now.getTime() - COLLECTING_MS).toISOString()
  const due = await db(context)
    .selectFrom('survey_comment')
    .select('survey_id')
    .distinct()
    .where('informed', '=', false)
    .where('created_at', '<=', since)
    .limit(MAX_SURVEYS)
    .execute()
  for (const { survey_id: survey } of due) {
    if (signal.aborted) return
    await context.em.fork().transactional((em) => enqueueOfSurvey({ ...context, em }, survey))
  }
}

async function enqueueOfSurvey(context: PublicContext, survey: number): Promise<void> {
  const comments = await db(context)
    .selectFrom('survey_comment')
    .select(['id', 'thread_id', 'text', 'author_id'])
    .where('survey_id', '=', survey)
    .where('informed', '=', false)
    .orderBy('id')
    .limit(MAX_COMMENTS)
    .forUpdate()
    .skipLocked()
    .execute()
  if (comments.length === 0) return
  const ids = comments.map(({ id }) => id)
  await db(context).updateTable('survey_comment').set({ informed: true }).where('id', 'in', ids).execute()
  const snapshot = await getSnapshot(context.em, survey)
  if (!snapshot) return
  const threads = [...new Set(comments.map(({ id, thread_id }) => thread_id ?? id))]
  const authors = await db(context)
    .selectFrom('survey_comment')
    .select(['id', 'thread_id', 'author_id'])
    .where((eb) => eb.or([eb('id', 'in', threads), eb('thread_id', 'in', threads)]))
    .where('author_id', 'is not', null)
    .execute()
  const muted = await db(context)
    .selectFrom('survey_comment_mute')
    .select('account_id')
    .where('survey_id', '=', survey)
    .execute()
  const recipients = new Set([snapshot.ownerId, ...authors.map(({ author_id }) => author_id!)])
  for (const { account_id } of muted) recipients.delete(account_id)
  for (const account of recipients) {
    if (!can(accessIn(snapshot, { id: account }), ['Edit', 'Test'])) continue
    const own = new Set(authors.filter(({ author_id }) => author_id === account).map((one) => one.thread_id ?? one.id))
    const news = comments.filter(
      ({ id, thread_id, author_id, text }) =>
        author_id !== account && text !== '' && (account === snapshot.ownerId || own.has(thread_id ?? id)),
    )
    if (news.length > 0)
      await notify(context, account, { survey, name: snapshot.name, texts: news.map(({ text }) => text) })
  }
}

function notify(
  context: PublicContext,
  account: number,
  { survey, name, texts }: { survey: number; name: string; texts: readonly string[] },
): Promise<void> {
  const shown = texts
    .slice(0, MAX_SHOWN)
    .map((text) => `– ${truncateName(text.replace(/\s+/g, ' '), MAX_SHOWN_CHARACTERS)}`)
  const comments = [...shown, ...(texts.length > MAX_SHOWN ? ['…'] : [])].join('\n')
  const url = `${context.services.baseUrl}/account/surveys/${survey}/edit/comments/`
  return notifyOwner(context, account, {
    name: 'comments',
    values: { survey: name, count: String(texts.length), comments, url },
  })
}

/** Returns whether the actor gets emails about comments on a survey. The caller has checked the access. */
export async function getsCommentEmails(context: Context, survey: number): Promise<boolean> {
  const muted = await db(context)
    .selectFrom('survey_comment_mute')
    .select('survey_id')
    .where('survey_id', '=', survey)
    .where('account_id', '=', context.actor.id)
    .executeTakeFirst()
  return muted === undefined
}

/** Turns the emails about comments on a survey on or off for the actor. The caller has checked the access. */
export async function setCommentEmails(context: Context, survey: number, isOn: boolean): Promise<void> {
  const row = { survey_id: survey, account_id: context.actor.id }
  if (!isOn) {
    await db(context)
      .insertInto('survey_comment_mute')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return
  }
  await db(context)
    .deleteFrom('survey_comment_mute')
    .where('survey_id', '=', survey)
    .where('account_id', '=', context.actor.id)
    .execute()
}
