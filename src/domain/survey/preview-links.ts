import { randomBytes } from 'node:crypto'
import type { Slice } from '../../lib/paging.ts'
import { digest } from '../../lib/secrets.ts'
import { Account, toActor } from '../account/account.ts'
import type { Context, PublicContext } from '../context.ts'
import { detail } from '../error-details.ts'
import { authorize } from '../group/access.ts'
import { checkName } from '../name.ts'
import { problems } from '../problem.ts'
import { recordActivity } from '../security/record.ts'
import type { NumberedStructure } from '../structure/numbering.ts'
import type { Tables } from '../tables.ts'
import { findSnapshot, lockSurvey } from './queries.ts'
import type { SurveySnapshot } from './snapshot.ts'
import { findVersion } from './versions.ts'
import { findWorkingCopy } from './working-copy.ts'

const MAX_LABEL_CHARACTERS = 100
/** Maximum number of valid links of a survey. */
const MAX_LINKS = 50
/** Lifetimes in days that the page offers. */
export const LINK_LIFETIMES = [7, 30, 90] as const
const DAY_MS = 86_400_000
const KEY = /^[\w-]{43}$/

/** A link with which people without an account view a preview. */
export interface PreviewLink {
  id: number
  label: string
  /** The published version that the link shows; null: the draft as it is now. */
  version: number | null
  /** Whether people with the link can comment. */
  comments: boolean
  createdAt: Date
  /** Null: the link is valid until it is revoked. */
  expiresAt: Date | null
}

const db = ({ em }: PublicContext) => em.getKysely<Tables>()

const hashOf = ({ services }: PublicContext, key: string) => digest(services.secretKey, `preview ${key}`)

/** Returns a query for links that have not expired. */
const validLinks = (context: PublicContext) =>
  db(context)
    .selectFrom('preview_link')
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', context.now.toISOString())]))

/**
 * Returns the valid preview links of a survey, newest first (role Edit). The keys cannot be read again.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function listPreviewLinks(
  context: Context,
  surveyId: number,
  { offset, limit }: Slice = { offset: 0, limit: MAX_LINKS },
): Promise<{ total: number; links: PreviewLink[] }> {
  await authorize(context, surveyId, 'Edit')
  const links = validLinks(context).where('survey_id', '=', surveyId)
  const { total } = await links.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await links.selectAll().orderBy('id', 'desc').offset(offset).limit(limit).execute()
  return {
    total,
    links: rows.map(({ id, label, version, comments, created_at, expires_at }) => ({
      id,
      label,
      version,
      comments,
      createdAt: new Date(created_at),
      expiresAt: expires_at === null ? null : new Date(expires_at),
    })),
  }
}

/** A preview link to create. */
export interface NewPreviewLink {
  /** For whom the link is; absent or blank: nothing. */
  label?: string | undefined
  /** The published version to show; absent: the draft as it is now. */
  version?: number | null | undefined
  /** Whether people with the link can comment; absent: no. */
  comments?: boolean | undefined
  /** After how many days the link expires; absent: never. */
  days?: number | null | undefined
}

/**
 * Creates a preview link (role Edit). Expired links of the survey are deleted.
 * @returns the link with its address, which cannot be read again
 * @throws {Problem} `survey_not_found`, `forbidden`, `version_not_found`, `invalid_request`
 */
export async function createPreviewLink(
  context: Context,
  surveyId: number,
  { label: written = '', version = null, comments = false, days = null }: NewPreviewLink,
): Promise<PreviewLink & { url: string }> {
  const { actor, now, services } = context
  const label = written.trim() === '' ? '' : checkName(written, 'label', MAX_LABEL_CHARACTERS)
  await lockSurvey(context, surveyId, 'Edit')
  if (version !== null) await findVersion(context, surveyId, version)
  await db(context)
    .deleteFrom('preview_link')
    .where('survey_id', '=', surveyId)
    .where('expires_at', '<=', now.toISOString())
    .execute()
  const { total } = await listPreviewLinks(context, surveyId, { offset: 0, limit: 1 })
  if (total >= MAX_LINKS) {
    const values = { max: MAX_LINKS }
    throw problems.invalidField('label', 'limit_reached', values, detail('too_many_preview_links', values))
  }
  const key = randomBytes(32).toString('base64url')
  const expiresAt = days === null ? null : new Date(now.getTime() + days * DAY_MS)
  const { id } = await db(context)
    .insertInto('preview_link')
    .values({
      ...{ survey_id: surveyId, creator_id: actor.id, label, version, comments },
      ...{ hash: hashOf(context, key), created_at: now, expires_at: expiresAt },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordActivity(context, surveyId, 'preview_shared', { link: id })
  return { id, label, version, comments, createdAt: now, expiresAt, url: `${services.baseUrl}/preview/${key}/` }
}

/**
 * Revokes a preview link (role Edit). Its address is not found from then on.
 * @throws {Problem} `survey_not_found`, `forbidden`, `preview_link_not_found`
 */
export async function revokePreviewLink(context: Context, surveyId: number, id: number): Promise<void> {
  await lockSurvey(context, surveyId, 'Edit')
  const { numDeletedRows } = await db(context)
    .deleteFrom('preview_link')
    .where('survey_id', '=', surveyId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw problems.previewLinkNotFound()
  await recordActivity(context, surveyId, 'preview_unshared', { link: id })
}

/** What a preview link shows. */
export interface SharedPreview extends NumberedStructure {
  link: Pick<PreviewLink, 'id' | 'version' | 'comments'>
  snapshot: SurveySnapshot
}

/**
 * Returns what the key of a link shows: the draft as it is now, or the version of the link.
 * @throws {Problem} `preview_link_not_found`, also for a link that has expired or was revoked
 */
export async function openPreviewLink(context: PublicContext, key: string): Promise<SharedPreview> {
  const found = KEY.test(key)
    ? await validLinks(context)
        .innerJoin('survey', 'survey.id', 'preview_link.survey_id')
        .select(['preview_link.id', 'survey_id', 'preview_link.version', 'comments', 'owner_id'])
        .where('hash', '=', hashOf(context, key))
        .where('survey.deleted_at', 'is', null)
        .executeTakeFirst()
    : undefined
  if (!found) throw problems.previewLinkNotFound()
  const { id, survey_id: survey, version, comments } = found
  // The link has been made by a person who may edit the survey. It shows what its owner sees.
  const owner = toActor(await context.em.findOneOrFail(Account, found.owner_id))
  const reader: Context = { ...context, actor: owner, isGuest: true }
  const snapshot = await findSnapshot(reader, survey, 'Edit')
  const copy = await findWorkingCopy(reader, survey)
  const { removed } = copy
  const { structure } = version === null ? copy : await findVersion(reader, survey, version)
  return { link: { id, version, comments }, snapshot, structure, removed }
}
