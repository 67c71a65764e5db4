import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Slice } from '../../lib/paging.ts'
import type { Context, PublicContext } from '../context.ts'
import { enqueueAll } from '../jobs.ts'
import { problems } from '../problem.ts'
import { deleteActivity } from '../security/queries.ts'
import { recordActivity, recordSecurityEvent } from '../security/record.ts'
import type { Tables } from '../tables.ts'
import { lockFeed } from './feed.ts'
import { lockSurvey } from './queries.ts'
import { Survey } from './survey.ts'

/** Days that a deleted survey or response stays in the trash. */
export const TRASH_DAYS = 30
const DAY_MS = 86_400_000

/** A survey in the trash. */
export interface DeletedSurvey {
  id: number
  name: string
  slug: string
  responses: number
  deletedAt: Date
  /** When it is erased. */
  erasedAt: Date
}

/**
 * Moves a survey to the trash. Nobody finds it there: pages and operations answer that it does not exist. It keeps its
 * address, its data, and the people with whom it is shared.
 * @throws {Problem} `survey_not_found`, `forbidden` unless the actor owns the survey
 */
export async function deleteSurvey(context: Context, id: number): Promise<void> {
  const survey = await lockSurvey(context, id, 'Owner')
  survey.deletedAt = context.now
  await context.em.flush()
  await recordSecurityEvent(context, context.actor.id, 'survey_deleted', { survey: id, name: survey.name })
}

/** Lists the surveys of the actor in the trash, the last deleted first. */
export async function listDeletedSurveys(
  { em, actor }: Context,
  { offset, limit }: Slice,
): Promise<{ total: number; surveys: DeletedSurvey[] }> {
  const [surveys, total] = await em.findAndCount(
    Survey,
    { owner: actor.id, deletedAt: { $ne: null } },
    { orderBy: { deletedAt: 'desc', id: 'desc' }, offset, limit },
  )
  const found: DeletedSurvey[] = []
  for (const survey of surveys) found.push(await describe(em, survey))
  return { total, surveys: found }
}

/**
 * Returns a survey of the actor in the trash.
 * @throws {Problem} `survey_not_found`
 */
export async function findDeletedSurvey({ em, actor }: Context, id: number): Promise<DeletedSurvey> {
  const where = { id, owner: actor.id, deletedAt: { $ne: null } }
  return describe(em, await em.findOneOrFail(Survey, where, { failHandler: problems.surveyNotFound }))
}

async function describe(em: EntityManager, { id, name, slug, deletedAt }: Survey): Promise<DeletedSurvey> {
  const responses = await countResponses(em, id)
  const erasedAt = new Date(deletedAt!.getTime() + TRASH_DAYS * DAY_MS)
  return { id, name, slug, responses, deletedAt: deletedAt!, erasedAt }
}

async function countResponses(em: EntityManager, id: number): Promise<number> {
  const feed = em.getKysely<Tables>().selectFrom('survey_feed').select('responses').where('survey_id', '=', id)
  return (await feed.executeTakeFirst())?.responses ?? 0
}

/** Returns a survey of the actor in the trash, locked until the commit. */
async function lockDeleted({ em, actor }: Context, id: number): Promise<Survey> {
  await lockFeed(em.getKysely<Tables>(), id)
  return em.findOneOrFail(
    Survey,
    { id, owner: actor.id, deletedAt: { $ne: null } },
    { failHandler: problems.surveyNotFound, lockMode: LockMode.PESSIMISTIC_WRITE },
  )
}

/**
 * Restores a survey from the trash as it was. Emails whose time passed meanwhile are sent.
 * @throws {Problem} `survey_not_found` unless the actor owns a survey with this id in the trash
 */
export async function restoreSurvey(context: Context, id: number): Promise<void> {
  const { em, now } = context
  const survey = await lockDeleted(context, id)
  survey.deletedAt = null
  await em.flush()
  await recordActivity(context, id, 'survey_restored')
  const emails = await em
    .getKysely<Tables>()
    .selectFrom('email')
    .select(['id', 'owner_id', 'scheduled_at'])
    .where('survey_id', '=', id)
    .where('status', '=', 'scheduled')
    .execute()
  const entries = emails.map((email) => {
    const at = new Date(email.scheduled_at ?? now)
    return { payload: { email: email.id }, group: String(email.owner_id), ...(at > now && { startAfter: at }) }
  })
  if (entries.length > 0) await enqueueAll(context, 'send-email', entries)
}

/**
 * Erases a survey in the trash with all its data, including responses.
 * @throws {Problem} `survey_not_found` unless the actor owns a survey with this id in the trash
 */
export async function eraseSurvey(context: Context, id: number): Promise<void> {
  const { name } = await lockDeleted(context, id)
  await erase(context, id)
  await recordSecurityEvent(context, context.actor.id, 'survey_erased', { survey: id, name })
}

/**
 * Tables without a foreign key to the survey. With a foreign key, storing a response would lock the row of the survey.
 */
export const SURVEY_TABLES = [
  'response',
  'response_change',
  'response_revision',
  'response_coding',
  'response_coding_state',
  'response_quota',
  'survey_feed',
  'response_count',
  'uploaded_file',
] as const

/** Erases a survey that the caller has locked. */
async function erase(context: PublicContext, id: number): Promise<void> {
  const { em } = context
  const db = em.getKysely<Tables>()
  const team = db.selectFrom('survey_team').select('group_id').where('survey_id', '=', id)
  await db.deleteFrom('account_group').where('id', 'in', team).execute()
  em.remove(em.getReference(Survey, id))
  await em.flush()
  for (const table of SURVEY_TABLES) await db.deleteFrom(table).where('survey_id', '=', id).execute()
  await deleteActivity(context, id)
}

/** Erases the surveys that have been in the trash for {@link TRASH_DAYS} days. */
export async function purgeDeletedSurveys(context: PublicContext, signal: AbortSignal): Promise<void> {
  const deletedAt = { $lte: new Date(context.now.getTime() - TRASH_DAYS * DAY_MS) }
  for (const { id } of await context.em.fork().find(Survey, { deletedAt }, { fields: ['id'] })) {
    if (signal.aborted) return
    await context.em.fork().transactional(async (em) => {
      await lockFeed(em.getKysely<Tables>(), id)
      // It may have been restored meanwhile.
      const survey = await em.findOne(Survey, { id, deletedAt }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (survey) await erase({ ...context, em }, id)
    })
  }
}
