import type { EntityManager } from '@mikro-orm/postgresql'
import { type Kysely, sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'
import { imagesIn } from './image.ts'

/** The survey, template or question of the library whose structure contains the images. */
export type ImageOwner = { survey_id: number } | { template_id: number } | { library_id: number }

/** How an owner uses its images. */
export interface UseOptions {
  /** Whether the images are in a version, a template or the library, which keep them; images of a draft can expire. */
  isKept: boolean
  now: Date
}

/**
 * Records that a survey, template or question of the library uses the images in a structure, including images that so far only other surveys
 * use. Each image is stored once, and deleted with its last use.
 */
export async function useImages(
  em: EntityManager,
  owner: ImageOwner,
  structure: unknown,
  options: UseOptions,
): Promise<void> {
  const digests = imagesIn(structure)
  if (digests.length > 0) await insertUses(em.getKysely<Tables>(), owner, digests, options)
}

/**
 * Inserts the uses of stored images. If a use exists, renews its time, so that it is not purged. Ignores images that
 * are not stored.
 */
export async function insertUses(
  db: Kysely<Tables>,
  owner: ImageOwner,
  digests: readonly string[],
  { isKept, now }: UseOptions,
): Promise<void> {
  const [column, id] = Object.entries(owner)[0]!
  // The lock keeps an image whose last use is being deleted in another transaction.
  await sql`
    insert into image_use (${sql.ref(column)}, digest, is_kept, created_at)
    select ${id}::bigint, digest, ${isKept}::boolean, ${now}::timestamptz
    from (select digest from image where digest = any(${digests}) order by digest for key share) stored
    on conflict (${sql.ref(column)}, digest) do update set is_kept = image_use.is_kept or excluded.is_kept,
      created_at = greatest(image_use.created_at, excluded.created_at)`.execute(db)
}

/** Replaces the images of a template by those in its new structure. */
export async function replaceTemplateImages(em: EntityManager, id: number, structure: unknown, now: Date) {
  await useImages(em, { template_id: id }, structure, { isKept: true, now })
  const unused = em.getKysely<Tables>().deleteFrom('image_use').where('template_id', '=', id)
  const digests = imagesIn(structure)
  await (digests.length > 0 ? unused.where('digest', 'not in', digests) : unused).execute()
}

/** Number of days after which an image is deleted if neither a version nor the draft of its survey contains it. */
const LIFETIME_DAYS = 7

/**
 * Deletes images that were uploaded for a survey some time ago and that neither the versions nor the draft of the
 * survey contain. Steps of the draft that can be undone are part of the draft.
 */
export async function purgeImages({ em, now }: PublicContext): Promise<void> {
  const before = new Date(now.getTime() - LIFETIME_DAYS * 86_400_000)
  const isUnused = sql`not use.is_kept and use.created_at < ${before} and not exists (
    select from survey_draft_step step where step.survey_id = use.survey_id
    and strpos(step.structure::text, '/images/' || use.digest || '.') > 0)`
  await em.transactional(async (em) => {
    const db = em.getKysely<Tables>()
    // Locks images before their uses, as insertUses does. In the opposite order, the two functions could deadlock.
    await sql`select count(*) from (select from image where digest in (select digest from image_use use where ${isUnused})
      order by digest for update) locked`.execute(db)
    await sql`delete from image_use use where ${isUnused}`.execute(db)
  })
}
