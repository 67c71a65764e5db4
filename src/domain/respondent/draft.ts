import { randomBytes } from 'node:crypto'
import { digest, seal, unseal } from '../../lib/secrets.ts'
import type { PublicContext } from '../context.ts'
import { anyOfRows, DELETE_BATCH_ROWS, deleteInBatches } from '../delete-in-batches.ts'
import type { FieldError } from '../field-error.ts'
import type { Answers } from '../structure/questionnaire.ts'
import type { Tables } from '../tables.ts'

/** A submitted page that was not accepted and is shown again. */
export interface PageDraft {
  /** Number of the page, counted from 1. */
  page: number
  /** The answers so far, in stored form; empty if they are part of a stored response. */
  answers: Answers
  /** The entered values by form field. */
  values: Readonly<Record<string, unknown>>
  /** Absent in drafts of versions before November 2026. */
  errors?: readonly FieldError[]
  /** Whether the answers make further questions visible. */
  more: boolean
  /** Whether the survey was edited in the meantime, so that nothing was stored. */
  changed: boolean
  /** Hidden form values that are kept until a response is stored. */
  carried: Readonly<Record<string, string>>
}

/** The response of a page, stored or new. */
export interface DraftOwner {
  surveyId: number
  key: Buffer
}

const HOUR_MS = 3_600_000
const LIFETIME_MS = 24 * HOUR_MS
const PURPOSE = 'page draft'

const db = ({ em }: PublicContext) => em.getKysely<Tables>()
const hashOf = ({ services }: PublicContext, token: string) => digest(services.secretKey, `${PURPOSE} ${token}`)

/**
 * Stores a draft for a day. The expiry is rounded to the hour, so that it does not reveal when an anonymous respondent
 * answered.
 * @param previous token of the previous draft of this page, which is replaced
 * @returns the token of the draft; each browser tab has a separate draft
 */
export async function saveDraft(
  context: PublicContext,
  { surveyId, key }: DraftOwner,
  previous: string | undefined,
  draft: PageDraft,
): Promise<string> {
  const sealed = seal(context.services.secretKey, PURPOSE, JSON.stringify(draft))
  const expires_at = new Date(Math.ceil((context.now.getTime() + LIFETIME_MS) / HOUR_MS) * HOUR_MS)
  const replaced =
    previous !== undefined &&
    (await db(context)
      .updateTable('page_draft')
      .set({ sealed, expires_at })
      .where('hash', '=', hashOf(context, previous))
      .where('survey_id', '=', surveyId)
      .where('key', '=', key)
      .returning('hash')
      .executeTakeFirst())
  if (replaced) return previous
  const token = randomBytes(16).toString('base64url')
  const row = { hash: hashOf(context, token), survey_id: surveyId, key, sealed, expires_at }
  await db(context).insertInto('page_draft').values(row).execute()
  return token
}

/** Returns the draft with this token, if the draft belongs to this response. */
export async function findDraft(
  context: PublicContext,
  { surveyId, key }: DraftOwner,
  token: string,
): Promise<PageDraft | undefined> {
  const row = await db(context)
    .selectFrom('page_draft')
    .select('sealed')
    .where('hash', '=', hashOf(context, token))
    .where('survey_id', '=', surveyId)
    .where('key', '=', key)
    .where('expires_at', '>', context.now.toISOString())
    .executeTakeFirst()
  const json = row && unseal(context.services.secretKey, PURPOSE, row.sealed)
  return json ? (JSON.parse(json) as PageDraft) : undefined
}

/** Deletes a draft after its page was accepted. */
export async function deleteDraft(context: PublicContext, token: string): Promise<void> {
  await db(context).deleteFrom('page_draft').where('hash', '=', hashOf(context, token)).execute()
}

/**
 * Deletes expired drafts.
 * @returns the number of deleted drafts
 */
export async function purgeDrafts(context: PublicContext, signal: AbortSignal): Promise<number> {
  const expired = db(context)
    .selectFrom('page_draft')
    .select('hash')
    .where('expires_at', '<=', context.now.toISOString())
    .orderBy('expires_at')
  const deletion = db(context)
    .deleteFrom('page_draft')
    .where('hash', '=', anyOfRows(expired.limit(DELETE_BATCH_ROWS)))
  return deleteInBatches(signal, () => deletion.executeTakeFirstOrThrow())
}
