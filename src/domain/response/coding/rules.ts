import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Context, PublicContext } from '../../context.ts'
import { enqueue } from '../../jobs.ts'
import { problems } from '../../problem.ts'
import type { Questionnaire } from '../../structure/questionnaire.ts'
import { findSnapshot } from '../../survey/queries.ts'
import { getSnapshot } from '../../survey/snapshot.ts'
import { ACROSS_SURVEYS, type Tables } from '../../tables.ts'
import { noteChange } from '../edit/coding-change.ts'
import { codableFields, fieldsNamed, SEARCHED_RESPONSES } from './answers.ts'
import { checkCategories } from './categories.ts'

/** A rule: answers that contain a text are in a category. */
export interface CodingRule {
  id: number
  contains: string
  /** Response key, ID or identifier of a question; null: all questions. */
  question: string | null
  category: number
  /** Whether the rule is applied to answers that are submitted or edited later. */
  appliesToNew: boolean
  /** Whether the rule has been applied to all answers to which somebody applied it. */
  applied: boolean
}

export interface RuleDraft {
  contains: string
  question?: string | undefined
  category: number
  appliesToNew?: boolean | undefined
  /** Whether the rule is also applied to answers that exist. */
  apply?: boolean | undefined
}

export const MAX_RULES = 100

type RuleRow = Pick<Tables['coding_rule'], 'contains' | 'key' | 'category_id' | 'applies_to_new' | 'below'> & {
  id: number
}

const ruleOf = ({ id, contains, key, category_id, applies_to_new, below }: RuleRow): CodingRule => ({
  id,
  contains,
  question: key,
  category: category_id,
  appliesToNew: applies_to_new,
  applied: below === null,
})

/**
 * Lists the coding rules of a survey, oldest first.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function listRules(context: Context, surveyId: number): Promise<CodingRule[]> {
  await findSnapshot(context, surveyId, 'View')
  const rows = await rulesOf(context.em.getKysely<Tables>(), surveyId).execute()
  return rows.map(ruleOf)
}

const rulesOf = (db: Kysely<Tables>, surveyId: number) =>
  db
    .selectFrom('coding_rule')
    .select(['id', 'contains', 'key', 'category_id', 'applies_to_new', 'below'])
    .where('survey_id', '=', surveyId)
    .orderBy('id')

/**
 * Creates a rule. Jobs apply it, never a submission. Call it in a transaction.
 * @throws {Problem} `survey_not_found`, `forbidden`, `category_not_found`, `invalid_request`
 */
export async function createRule(context: Context, surveyId: number, draft: RuleDraft): Promise<CodingRule> {
  const { questionnaire } = await findSnapshot(context, surveyId, 'Correct')
  const { contains, question, category, appliesToNew = false, apply = false } = draft
  // An empty text is in every answer.
  if (contains === '') throw problems.invalidField('contains', 'blank')
  fieldsNamed(questionnaire, question)
  const db = context.em.getKysely<Tables>()
  await checkCategories(db, surveyId, [category])
  if ((await rulesOf(db, surveyId).execute()).length >= MAX_RULES)
    throw problems.invalidField('contains', 'limit_reached', { max: MAX_RULES })
  const feed = await db.selectFrom('survey_feed').select('seq').where('survey_id', '=', surveyId).executeTakeFirst()
  const row = await db
    .insertInto('coding_rule')
    .values({
      survey_id: surveyId,
      category_id: category,
      contains,
      key: question ?? null,
      applies_to_new: appliesToNew,
      seq: feed?.seq ?? 0,
      below: apply ? ALL : null,
      created_at: context.now,
    })
    .returning(['id', 'contains', 'key', 'category_id', 'applies_to_new', 'below'])
    .executeTakeFirstOrThrow()
  if (apply) await enqueue(context, 'apply-coding-rules', {})
  return ruleOf(row)
}

/** All ids are below this number. */
const ALL = Number.MAX_SAFE_INTEGER

/**
 * Applies a rule to all answers that exist, in a job. Call it in a transaction.
 * @throws {Problem} `survey_not_found`, `forbidden`, `coding_rule_not_found`
 */
export async function applyRule(context: Context, surveyId: number, id: number): Promise<void> {
  await findSnapshot(context, surveyId, 'Correct')
  const { numUpdatedRows } = await context.em
    .getKysely<Tables>()
    .updateTable('coding_rule')
    .set({ below: ALL })
    .where('survey_id', '=', surveyId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw problems.codingRuleNotFound()
  await enqueue(context, 'apply-coding-rules', {})
}

/**
 * Deletes a rule. The answers that it has put into the category stay there.
 * @throws {Problem} `survey_not_found`, `forbidden`, `coding_rule_not_found`
 */
export async function deleteRule(context: Context, surveyId: number, id: number): Promise<void> {
  await findSnapshot(context, surveyId, 'Correct')
  const { numDeletedRows } = await context.em
    .getKysely<Tables>()
    .deleteFrom('coding_rule')
    .where('survey_id', '=', surveyId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw problems.codingRuleNotFound()
}

/** Number of rules that are read at once. */
const BATCH = 1_000
/** Number of changes to which a rule is applied in one transaction. */
const CHANGES = 5_000

interface DueRule {
  id: number
  survey_id: number
  below: number | null
  applies_to_new: boolean
  seq: number
}

/**
 * Applies the rules that are due: to responses that exist, in steps of {@link SEARCHED_RESPONSES}, and to those that
 * were submitted or edited since. Reads only the rules and the last change of each of their surveys if nothing is due.
 * @throws the first error, after the other rules are applied
 */
export async function applyDueRules(context: PublicContext, signal: AbortSignal): Promise<void> {
  const errors: unknown[] = []
  let last = 0
  while (!signal.aborted) {
    const due: DueRule[] = await context.em
      .getKysely<Tables>()
      .selectFrom('coding_rule')
      .select(['id', 'survey_id', 'below', 'applies_to_new', 'seq'])
      .where((eb) => eb.or([eb('below', 'is not', null), eb('applies_to_new', '=', true)]))
      .where('id', '>', last)
      .orderBy('id')
      .limit(BATCH)
      .execute()
    const seqs = await seqsOf(context, [...new Set(due.map(({ survey_id }) => survey_id))])
    for (const { id, survey_id, below, applies_to_new, seq } of due)
      if (below !== null || (applies_to_new && (seqs.get(survey_id) ?? 0) > seq))
        await applyCompletely(context, id, signal).catch((error: unknown) => errors.push(error))
    if (due.length < BATCH) break
    last = due.at(-1)!.id
  }
  if (errors.length > 0) throw errors[0]
}

/** Returns the last change of each survey. */
async function seqsOf({ em }: PublicContext, surveys: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (surveys.length === 0) return new Map()
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('survey_feed')
    .modifyFront(sql.raw(ACROSS_SURVEYS))
    .select(['survey_id', 'seq'])
    .where((eb) => eb('survey_id', '=', eb.fn.any(eb.val(surveys))))
    .execute()
  return new Map(rows.map(({ survey_id, seq }) => [survey_id, seq]))
}

async function applyCompletely(context: PublicContext, id: number, signal: AbortSignal): Promise<void> {
  let more = true
  while (more && !signal.aborted)
    more = await context.em.fork().transactional((em) => applyStep({ ...context, em }, id))
}

/** Applies one step of a rule. @returns whether there is another step */
async function applyStep({ em }: PublicContext, id: number): Promise<boolean> {
  const db = em.getKysely<Tables>()
  const rule = await db
    .selectFrom('coding_rule')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  const snapshot = rule && (await getSnapshot(em, rule.survey_id))
  if (!snapshot) return false
  const { survey_id: surveyId, below, seq } = rule
  const insert = (responses: RawBuilder<unknown>) =>
    insertMatches(db, surveyId, { ...rule, keys: keysOf(snapshot.questionnaire, rule.key) }, responses)
  if (below !== null) {
    const { rows } = await sql<{ id: number }>`select id from response
      where survey_id = ${surveyId} and id < ${below} order by id desc limit 1 offset ${SEARCHED_RESPONSES}`.execute(db)
    const from = rows[0]?.id
    await insert(sql`response.id < ${below} and response.id >= ${from ?? 0}`)
    await db
      .updateTable('coding_rule')
      .set({ below: from ?? null })
      .where('id', '=', id)
      .execute()
    return true
  }
  if (!rule.applies_to_new) return false
  const changes = await db
    .selectFrom('response_change')
    .select(['seq', 'response_id'])
    .where('survey_id', '=', surveyId)
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(CHANGES)
    .execute()
  const lastChange = changes.at(-1)
  if (!lastChange) return false
  const ids = [...new Set(changes.map(({ response_id }) => response_id))]
  await insert(sql`response.id = any(${ids}::bigint[])`)
  await db.updateTable('coding_rule').set({ seq: lastChange.seq }).where('id', '=', id).execute()
  return changes.length === CHANGES
}

/** Returns the stored keys to which a rule applies; none if its question no longer exists. */
function keysOf(q: Questionnaire, question: string | null): string[] {
  const fields = codableFields(q)
  const own =
    question === null
      ? fields
      : fields.filter(
          (field) => field.key === question || field.question.id === question || field.question.identifier === question,
        )
  return own.map(({ storedKey }) => storedKey)
}

/** Puts the answers of some responses that contain the text of a rule into its category, except those marked `none`. */
async function insertMatches(
  db: Kysely<Tables>,
  surveyId: number,
  { contains, category_id, keys }: { contains: string; category_id: number; keys: readonly string[] },
  responses: RawBuilder<unknown>,
): Promise<void> {
  if (keys.length === 0) return
  const { numAffectedRows = 0n } = await sql`
    insert into response_coding (survey_id, response_id, key, round_id, coder_id, category_id, digest)
    select ${surveyId}, response.id, field.key, 0, 0, ${category_id}, md5(response.answers ->> field.key)::uuid
    from response cross join unnest(${keys}::text[]) as field (key)
    where response.survey_id = ${surveyId} and ${responses}
      and jsonb_typeof(response.answers -> field.key) = 'string'
      and strpos(lower(response.answers ->> field.key), lower(${contains}::text)) > 0
      and not exists (select from response_coding coding where coding.survey_id = ${surveyId}
        and coding.response_id = response.id and coding.key = field.key
        and coding.round_id = 0 and coding.coder_id = 0 and coding.category_id = 0)
    for key share of response
    on conflict do nothing`.execute(db)
  if (numAffectedRows > 0n) await noteChange(db, surveyId)
}
