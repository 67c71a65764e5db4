import { sql } from 'kysely'
import type { Context, PublicContext } from '../context.ts'
import { notifyOwner } from '../system-email.ts'
import type { Tables } from '../tables.ts'

export const MEGABYTE = 1_000_000
/** The owner of an account is warned when the files take this share of its space. */
const WARNING_SHARE = 0.8
/** The owner gets at most one email in this time. */
const WARNING_INTERVAL_MS = 30 * 24 * 3_600_000

/** The size of the files and images of an account, in bytes. */
export interface StorageUse {
  /** The submitted files of all surveys, and all images. */
  ofAccount: number
  /** The submitted files of the given survey. */
  ofSurvey: number
}

/**
 * Returns how much of its space an account uses. Files that respondents have uploaded but not submitted yet are not
 * counted, because anyone can upload such files.
 * @param surveyId the survey for {@link StorageUse.ofSurvey}; 0: none
 */
export async function storageUse({ em }: PublicContext, accountId: number, surveyId = 0): Promise<StorageUse> {
  const db = em.getKysely<Tables>()
  const files = await db
    .selectFrom('uploaded_file')
    .innerJoin('survey', 'survey.id', 'survey_id')
    .select([
      sql<string>`coalesce(sum(bytes), 0)`.as('ofAccount'),
      sql<string>`coalesce(sum(bytes) filter (where survey_id = ${surveyId}), 0)`.as('ofSurvey'),
    ])
    .where('owner_id', '=', accountId)
    .where('response_key', 'is', null)
    .executeTakeFirstOrThrow()
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::bigint as bytes from image where digest in (
      select digest from image_use join survey on survey.id = survey_id where owner_id = ${accountId}
      union select digest from image_use join template on template.id = template_id where owner_id = ${accountId}
      union select digest from image_use join question_library q on q.id = library_id where owner_id = ${accountId})`.execute(
    db,
  )
  return { ofAccount: Number(files.ofAccount) + rows[0]!.bytes, ofSurvey: Number(files.ofSurvey) }
}

/** Tells the owner of an account by email, at most once a month, that the files take 80 percent of its space. */
export async function warnOwner(context: PublicContext, accountId: number, bytes: number): Promise<void> {
  const { em, now, services } = context
  const { megabytesPerAccount: max } = services.files
  if (bytes < max * MEGABYTE * WARNING_SHARE) return
  await em.transactional(async (inner) => {
    const row = { account_id: accountId, warned_at: now }
    const isNew = await inner
      .getKysely<Tables>()
      .insertInto('storage_warning')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .column('account_id')
          .doUpdateSet({ warned_at: now })
          .where('storage_warning.warned_at', '<', new Date(now.getTime() - WARNING_INTERVAL_MS).toISOString()),
      )
      .returning('account_id')
      .executeTakeFirst()
    if (!isNew) return
    const values = {
      used: String(Math.floor(bytes / MEGABYTE)),
      max: String(max),
      url: `${services.baseUrl}/account/surveys/`,
    }
    await notifyOwner({ ...context, em: inner }, accountId, { name: 'storage_nearly_full', values })
  })
}

/**
 * Returns how full the space of the actor is, in percent, if the actor was warned and it is still nearly full. Runs one
 * small query for an account that was never warned.
 */
export async function storageWarning(context: Context): Promise<{ percent: number; max: number } | undefined> {
  const { em, actor, services } = context
  const { megabytesPerAccount: max } = services.files
  const warned = await em
    .getKysely<Tables>()
    .selectFrom('storage_warning')
    .select('warned_at')
    .where('account_id', '=', actor.id)
    .executeTakeFirst()
  if (!warned || max === 0) return undefined
  const share = (await storageUse(context, actor.id)).ofAccount / (max * MEGABYTE)
  return share < WARNING_SHARE ? undefined : { percent: Math.floor(share * 100), max }
}
