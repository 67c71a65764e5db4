import { digest } from '../../lib/secrets.ts'
import type { Context, PublicContext } from '../context.ts'
import { DELETE_BATCH_ROWS, deleteInBatches } from '../delete-in-batches.ts'
import { findSnapshot } from '../survey/queries.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import type { IdentityError } from './identity-provider.ts'

/** Failures that are equal except for their time. */
export interface ProviderFailure extends Pick<IdentityError, 'step' | 'status' | 'code' | 'description'> {
  /** The number of six digits that respondents quote. */
  number: number
  /** What failed, in English. */
  reason: string
  /** How often it failed. */
  count: number
  firstAt: Date
  lastAt: Date
}

/** Number of different failures that are kept per survey. */
const MAX_FAILURES = 20
/** A failure is kept for this time after it last occurred. */
const RETENTION_MS = 30 * 86_400_000

const db = ({ em }: PublicContext) => em.getKysely<Tables>()

/**
 * Records a failure for the owner of a survey. For an anonymous survey, the provider's description is not stored, because
 * it may name the respondent.
 * @returns the number that the respondent can quote. Equal failures have the same number
 */
export async function recordProviderFailure(
  context: PublicContext,
  survey: SurveySnapshot,
  { step, status, code, message: reason, ...error }: IdentityError,
  isAnonymous: boolean,
): Promise<number> {
  const { now, services } = context
  const description = isAnonymous ? undefined : error.description
  const facts = JSON.stringify([survey.id, step, status, code, description, reason])
  const number = 100_000 + (digest(services.secretKey, `provider failure ${facts}`).readUInt32BE() % 900_000)
  await db(context)
    .insertInto('provider_failure')
    .values({
      survey_id: survey.id,
      number,
      step,
      status: status ?? null,
      code: code ?? null,
      description: description ?? null,
      reason,
      first_at: now,
      last_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['survey_id', 'number'])
        .doUpdateSet(({ eb }) => ({ count: eb('provider_failure.count', '+', 1), last_at: now })),
    )
    .execute()
  await db(context)
    .deleteFrom('provider_failure')
    .where('survey_id', '=', survey.id)
    .where('number', 'in', ({ selectFrom }) =>
      selectFrom('provider_failure')
        .select('number')
        .where('survey_id', '=', survey.id)
        .orderBy('last_at', 'desc')
        .orderBy('number')
        .offset(MAX_FAILURES),
    )
    .execute()
  return number
}

/**
 * Returns the failures of the identity provider of a survey, the last first.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function listProviderFailures(context: Context, surveyId: number): Promise<ProviderFailure[]> {
  await findSnapshot(context, surveyId, 'Edit')
  const rows = await db(context)
    .selectFrom('provider_failure')
    .selectAll()
    .where('survey_id', '=', surveyId)
    .orderBy('last_at', 'desc')
    .orderBy('number')
    .execute()
  return rows.map((row) => ({
    number: row.number,
    step: row.step,
    status: row.status ?? undefined,
    code: row.code ?? undefined,
    description: row.description ?? undefined,
    reason: row.reason,
    count: row.count,
    firstAt: new Date(row.first_at),
    lastAt: new Date(row.last_at),
  }))
}

/**
 * Deletes failures that have not occurred for 30 days.
 * @returns the number of deleted failures
 */
export async function purgeProviderFailures(context: PublicContext, signal: AbortSignal): Promise<number> {
  const before = new Date(context.now.getTime() - RETENTION_MS).toISOString()
  const deletion = db(context)
    .deleteFrom('provider_failure')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('survey_id', 'number'),
        'in',
        selectFrom('provider_failure')
          .select(['survey_id', 'number'])
          .where('last_at', '<=', before)
          .orderBy('last_at')
          .limit(DELETE_BATCH_ROWS)
          .$asTuple('survey_id', 'number'),
      ),
    )
  return deleteInBatches(signal, () => deletion.executeTakeFirstOrThrow())
}
