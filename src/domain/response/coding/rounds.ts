import { type Kysely, sql } from 'kysely'
import type { Context } from '../../context.ts'
import { problems } from '../../problem.ts'
import { findSnapshot } from '../../survey/queries.ts'
import type { Tables } from '../../tables.ts'
import { noteChange } from '../edit/coding-change.ts'
import { type Agreement, cohensKappa, krippendorffsAlpha, type PairRatings, type Ratings } from './agreement.ts'

/** A round in which coders code the same answers without seeing the work of others. */
export interface CodingRound {
  id: number
  openedAt: Date
  /** Null: open. */
  closedAt: Date | null
  /** The coders who have coded at least one answer, and the number of their answers. */
  coders: { id: number; username: string | null; answers: number }[]
}

/**
 * Lists the rounds of a survey, newest first.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function listRounds(context: Context, surveyId: number): Promise<CodingRound[]> {
  await findSnapshot(context, surveyId, 'View')
  return readRounds(context.em.getKysely<Tables>(), surveyId)
}

async function readRounds(db: Kysely<Tables>, surveyId: number): Promise<CodingRound[]> {
  const rounds = await db
    .selectFrom('coding_round')
    .select(['id', 'opened_at', 'closed_at'])
    .where('survey_id', '=', surveyId)
    .orderBy('id', 'desc')
    .limit(MAX_ROUNDS)
    .execute()
  if (rounds.length === 0) return []
  const { rows: coders } = await sql<{ round: number; id: number; username: string | null; answers: number }>`
    select coded.round_id as round, coded.coder_id as id, account.username, count(*)::integer as answers
    from (select distinct round_id, coder_id, response_id, key from response_coding
      where survey_id = ${surveyId} and round_id > 0) as coded
    left join account on account.id = coded.coder_id
    group by 1, 2, 3 order by 2`.execute(db)
  const byRound = Map.groupBy(coders, ({ round }) => round)
  return rounds.map(({ id, opened_at, closed_at }) => ({
    id,
    openedAt: new Date(opened_at),
    closedAt: closed_at === null ? null : new Date(closed_at),
    coders: (byRound.get(id) ?? []).map(({ round: _, ...coder }) => coder),
  }))
}

const MAX_ROUNDS = 100

/**
 * Opens a round. Until it is closed, everybody sees and changes only their own coding of it. Call it in a transaction.
 * @throws {Problem} `survey_not_found`, `forbidden` unless the actor owns the survey, `round_open`, `invalid_request`
 */
export async function openRound(context: Context, surveyId: number): Promise<CodingRound> {
  await findSnapshot(context, surveyId, 'Owner')
  const db = context.em.getKysely<Tables>()
  const rounds = await readRounds(db, surveyId)
  if (rounds.length >= MAX_ROUNDS) throw problems.invalidField('survey_id', 'limit_reached', { max: MAX_ROUNDS })
  const { id } = await db
    .insertInto('coding_round')
    .values({ survey_id: surveyId, opened_at: context.now })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, openedAt: context.now, closedAt: null, coders: [] }
}

/** Which coding of a round is added to that of the survey when the round is closed. */
export type Adopted = 'agreed' | 'any' | 'nothing'

/**
 * Closes a round. A closed round stays as it is. Call it in a transaction.
 * @throws {Problem} `survey_not_found`, `forbidden` unless the actor owns the survey, `round_not_found`
 */
export async function closeRound(
  context: Context,
  surveyId: number,
  id: number,
  adopt: Adopted = 'agreed',
): Promise<CodingRound> {
  await findSnapshot(context, surveyId, 'Owner')
  const db = context.em.getKysely<Tables>()
  const { numUpdatedRows } = await db
    .updateTable('coding_round')
    .set({ closed_at: context.now })
    .where('survey_id', '=', surveyId)
    .where('id', '=', id)
    .where('closed_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n && adopt !== 'nothing') await adoptRound(db, surveyId, id, adopt)
  const round = (await readRounds(db, surveyId)).find((each) => each.id === id)
  if (!round) throw problems.roundNotFound()
  return round
}

/** Adds the coding of a round to that of the survey. A category is stronger than “no category fits”. */
async function adoptRound(db: Kysely<Tables>, surveyId: number, roundId: number, adopt: Adopted): Promise<void> {
  const inRound = sql`survey_id = ${surveyId} and round_id = ${roundId}`
  await sql`insert into response_coding (survey_id, response_id, key, round_id, coder_id, category_id, digest)
    select ${surveyId}, chosen.response_id, chosen.key, 0, 0, chosen.category_id, chosen.digest
    from (select response_id, key, category_id, count(*) as coders, (array_agg(digest))[1] as digest
      from response_coding where ${inRound} group by 1, 2, 3) as chosen
    join (select response_id, key, count(distinct coder_id) as coders
      from response_coding where ${inRound} group by 1, 2) as answer
      on answer.response_id = chosen.response_id and answer.key = chosen.key
    where ${adopt === 'any' ? sql`true` : sql`chosen.coders = answer.coders`}
    on conflict do nothing`.execute(db)
  await sql`delete from response_coding none where survey_id = ${surveyId} and round_id = 0 and coder_id = 0
    and category_id = 0 and exists (select from response_coding coding where coding.survey_id = ${surveyId}
      and coding.response_id = none.response_id and coding.key = none.key and coding.round_id = 0
      and coding.coder_id = 0 and coding.category_id <> 0)`.execute(db)
  await noteChange(db, surveyId)
}

/** A closed round with the agreement of its coders, by category. */
export interface RoundAgreement {
  round: CodingRound
  agreement: (Agreement & { category: number; name: string })[]
}

/**
 * Returns a closed round with the agreement of its coders about each category of the survey.
 * @throws {Problem} `survey_not_found`, `forbidden`, `round_not_found`; `round_open`, because its coders are blind
 */
export async function showAgreement(context: Context, surveyId: number, id: number): Promise<RoundAgreement> {
  await findSnapshot(context, surveyId, 'View')
  const db = context.em.getKysely<Tables>()
  const round = (await readRounds(db, surveyId)).find((each) => each.id === id)
  if (!round) throw problems.roundNotFound()
  if (!round.closedAt) throw problems.roundOpen()
  const categories = await db
    .selectFrom('coding_category')
    .select(['id', 'name'])
    .where('survey_id', '=', surveyId)
    .orderBy(sql`lower(name)`)
    .orderBy('id')
    .execute()
  const { totals, positive } = await readRatings(db, surveyId, id)
  const pair = round.coders.length === 2 ? await readPair(db, surveyId, id, round.coders[0]!.id) : undefined
  const answers = [...totals].reduce((sum, [coders, count]) => sum + (coders > 1 ? count : 0), 0)
  return {
    round,
    agreement: categories.map(({ id: category, name }) => ({
      category,
      name,
      answers,
      kappa: pair ? cohensKappa({ answers, both: 0, first: 0, second: 0, ...pair.get(category) }) : null,
      alpha: krippendorffsAlpha(withZeros(totals, positive.get(category) ?? [])),
    })),
  }
}

/** Adds the answers that no coder put into the category. */
function withZeros(totals: ReadonlyMap<number, number>, positive: readonly Ratings[]): Ratings[] {
  const zeros = [...totals].map(([coders, count]) => ({
    coders,
    positive: 0,
    answers: count - positive.reduce((sum, each) => sum + (each.coders === coders ? each.answers : 0), 0),
  }))
  return [...zeros, ...positive]
}

/** Counts the answers of a round by their number of coders, and for each category by the number of coders who chose it. */
async function readRatings(db: Kysely<Tables>, surveyId: number, roundId: number) {
  const inRound = sql`survey_id = ${surveyId} and round_id = ${roundId}`
  const answers = sql`(select response_id, key, count(distinct coder_id)::integer as coders
    from response_coding where ${inRound} group by 1, 2) as answer`
  const { rows: totals } = await sql<{ coders: number; answers: number }>`
    select coders, count(*)::integer as answers from ${answers} group by 1`.execute(db)
  const { rows } = await sql<Ratings & { category: number }>`
    select chosen.category_id as category, answer.coders, chosen.coders as positive, count(*)::integer as answers
    from ${answers} join (select response_id, key, category_id, count(*)::integer as coders from response_coding
      where ${inRound} and category_id > 0 group by 1, 2, 3) as chosen
      on chosen.response_id = answer.response_id and chosen.key = answer.key
    group by 1, 2, 3`.execute(db)
  return {
    totals: new Map(totals.map(({ coders, answers: count }) => [coders, count])),
    positive: Map.groupBy(rows, ({ category }) => category),
  }
}

/** Counts, for each category, what two coders chose for the answers that both coded. */
async function readPair(db: Kysely<Tables>, surveyId: number, roundId: number, firstCoder: number) {
  const inRound = sql`survey_id = ${surveyId} and round_id = ${roundId}`
  const { rows } = await sql<Omit<PairRatings, 'answers'> & { category: number }>`
    select category_id as category, count(*) filter (where first and second)::integer as both,
      count(*) filter (where first)::integer as first, count(*) filter (where second)::integer as second
    from (select response_id, key, category_id, bool_or(coder_id = ${firstCoder}) as first,
        bool_or(coder_id <> ${firstCoder}) as second
      from response_coding where ${inRound} and category_id > 0 group by 1, 2, 3) as chosen
    join (select response_id, key from response_coding where ${inRound} group by 1, 2
      having count(distinct coder_id) = 2) as answer
      on answer.response_id = chosen.response_id and answer.key = chosen.key
    group by 1`.execute(db)
  return new Map(rows.map(({ category, ...counts }) => [category, counts]))
}
