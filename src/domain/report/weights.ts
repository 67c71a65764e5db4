import { type Kysely, sql } from 'kysely'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { type Filter, parseFilters } from '../response/filter/filter.ts'
import { STATES, valuePredicate } from '../response/filter/predicate.ts'
import { weightFrom } from '../response/filter/weight.ts'
import { whereResponses } from '../response/filter/where.ts'
import { countByRollup } from '../rollup/segments.ts'
import { choiceIndex } from '../structure/choices.ts'
import type { Field, Questionnaire } from '../structure/questionnaire.ts'
import { uidAt } from '../structure/stored.ts'
import { findSnapshot, lockSurvey } from '../survey/queries.ts'
import { invalidateSurvey } from '../survey/snapshot.ts'
import { type WeightClass, type Weighting, type WeightQuestion, weightingIn } from '../survey/weighting.ts'
import type { Tables } from '../tables.ts'
import { countableField } from './cross-table.ts'
import { ONLY_COMPLETE } from './queries.ts'
import { type Bounds, type Raked, type RakingCell, rake } from './raking.ts'

/** The shares that the answers to a question are to have. */
export interface TargetMargin {
  question: string
  targets: readonly { choice: string; percentage: number }[]
}

export interface WeightingDraft {
  questions: readonly TargetMargin[]
  minWeight: number
  maxWeight: number
}

/** The weights of a survey, and whether they are up to date. */
export interface WeightingState {
  questionnaire: Questionnaire
  weighting: Weighting
  /** Whether no response has changed since the weights were computed. */
  isCurrent: boolean
  /** Complete responses now. */
  responses: number
}

export const MAX_WEIGHT_QUESTIONS = 5
/** Maximum number of combinations of answers, so that raking takes less than a second. */
const MAX_COMBINATIONS = 20_000
/** Percentages can be rounded to whole numbers. */
const SUM_TOLERANCE = 1

/**
 * Computes the weights of the complete responses, and stores them as a variable of the survey. Replaces earlier weights.
 * @throws {Problem} `survey_not_found`, `forbidden`; `invalid_request` naming `questions` or the bounds
 */
export async function saveWeighting(
  context: Context,
  surveyId: number,
  draft: WeightingDraft,
): Promise<WeightingState> {
  await lockSurvey(context, surveyId, 'Correct')
  const snapshot = await findSnapshot(context, surveyId, 'View')
  const { questionnaire: q } = snapshot
  const bounds: Bounds = { min: draft.minWeight, max: draft.maxWeight }
  if (bounds.min >= 1) throw problems.invalidField('min_weight', 'too_large', { max: 1 })
  if (bounds.max <= 1) throw problems.invalidField('max_weight', 'too_small', { min: 1 })
  const margins = checkMargins(q, draft.questions)
  const db = context.em.getKysely<Tables>()
  const filters = parseFilters(ONLY_COMPLETE, q, 'strict', new Set())
  const seq = await lastSeq(db, surveyId)
  const cells = await countCells(db, surveyId, filters, margins)
  checkReachable(margins, cells)
  const targets = margins.map(({ classes }) => classes.map(({ target }) => target))
  const weighting = weightingOf(margins, cells, bounds, rake(cells, targets, bounds), { at: context.now, seq })
  await store(context, surveyId, weighting)
  return { questionnaire: q, weighting, isCurrent: true, responses: weighting.basis.n }
}

interface Margin {
  field: Field
  classes: readonly Pick<WeightClass, 'uid' | 'value' | 'target'>[]
}

function checkMargins(q: Questionnaire, questions: readonly TargetMargin[]): Margin[] {
  const margins = questions.map(({ question, targets }): Margin => {
    const field = countableField(q, question, 'questions')
    if (field.choices.length === 0 || field.type === 'multi')
      throw problems.invalidField('questions', 'not_weightable', { value: question.slice(0, 60).toWellFormed() })
    const total = targets.reduce((sum, { percentage }) => sum + percentage, 0)
    if (Math.abs(total - 100) > SUM_TOLERANCE)
      throw problems.invalidField('questions', 'wrong_total', {
        question: field.key,
        sum: Math.round(total * 100) / 100,
      })
    const classes = targets.map(({ choice, percentage }) => {
      const index = choiceIndex(field, choice)
      if (index === undefined) throw problems.invalidField('questions', 'not_a_choice')
      const uid = uidAt(field, index) as number
      const predicate = valuePredicate(field, uid)
      return { uid, value: 'value' in predicate ? predicate.value : '', target: percentage / total }
    })
    if (new Set(classes.map(({ uid }) => uid)).size < classes.length)
      throw problems.invalidField('questions', 'duplicate')
    return { field, classes }
  })
  if (new Set(margins.map(({ field }) => field.key)).size < margins.length)
    throw problems.invalidField('questions', 'duplicate')
  const combinations = margins.reduce((product, { classes }) => product * (classes.length + 1), 1)
  if (combinations > MAX_COMBINATIONS)
    throw problems.invalidField('questions', 'limit_reached', { max: MAX_COMBINATIONS })
  return margins
}

/** @throws {Problem} `invalid_request` if an answer with a target has no responses, so that no weight reaches the target */
function checkReachable(margins: readonly Margin[], cells: readonly RakingCell[]): void {
  for (const [question, { field, classes }] of margins.entries())
    for (const [one, { target, uid }] of classes.entries()) {
      if (target === 0 || cells.some((cell) => cell.classes[question] === one)) continue
      const choice = field.choices.findIndex((each) => each.uid === uid)
      throw problems.invalidField('questions', 'no_responses', { question: field.key, choice })
    }
}

/** Counts the responses by their answers to the questions, with one statement. */
async function countCells(
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  margins: readonly Margin[],
): Promise<RakingCell[]> {
  const positions = margins.map(({ field, classes }) => {
    const cases = classes.map(({ value }, index) => sql`when ${value}::text then ${sql.lit(index)}::integer`)
    return sql`case response.answers ->> ${field.storedKey}::text ${sql.join(cases, sql` `)} end`
  })
  const matching = db.selectFrom('response').where(whereResponses(surveyId, filters)).select(['answers'])
  const { rows } = await sql<{ classes: (number | null)[]; count: number }>`
    select array[${sql.join(positions)}] as classes, count(*) as count
    from ${matching} as response group by 1 order by 1`.execute(db)
  return rows
}

function weightingOf(
  margins: readonly Margin[],
  cells: readonly RakingCell[],
  bounds: Bounds,
  { factors, scale, ...quality }: Raked,
  { at, seq }: { at: Date; seq: number },
): Weighting {
  const weights = cells.map(({ classes }) =>
    weightFrom(
      scale,
      classes.map((one, question) => (one === null ? 1 : factors[question]![one]!)),
      bounds,
    ),
  )
  const questions = margins.map(({ field, classes }, question): WeightQuestion => {
    const sumOver = (one: number | undefined, weightOf: (cell: number) => number) =>
      cells.reduce(
        (sum, cell, index) =>
          cell.classes[question] === null || (one !== undefined && cell.classes[question] !== one)
            ? sum
            : sum + cell.count * weightOf(index),
        0,
      )
    const [all, weighted] = [sumOver(undefined, () => 1), sumOver(undefined, (index) => weights[index]!)]
    return {
      key: field.storedKey,
      classes: classes.map((one, index) => ({
        ...one,
        factor: factors[question]![index]!,
        share: sumOver(index, () => 1) / all,
        weightedShare: sumOver(index, (cell) => weights[cell]!) / weighted,
      })),
    }
  })
  const n = cells.reduce((sum, { count }) => sum + count, 0)
  return { questions, scale, ...bounds, basis: { at: at.toISOString(), n, seq, ...quality } }
}

/** Stores the weights. The revision of the survey changes, so that files with weights are made again. */
async function store(context: Context, surveyId: number, weighting: Weighting | null): Promise<void> {
  const value = weighting && JSON.stringify(weighting)
  await context.em
    .getKysely<Tables>()
    .updateTable('survey')
    .set({ weighting: sql`${value}::jsonb` })
    .where('id', '=', surveyId)
    .execute()
  await invalidateSurvey(context.em, surveyId)
}

const lastSeq = async (db: Kysely<Tables>, surveyId: number): Promise<number> =>
  (await db.selectFrom('survey_feed').select('seq').where('survey_id', '=', surveyId).executeTakeFirst())?.seq ?? 0

/**
 * Returns the weights of a survey.
 * @throws {Problem} `survey_not_found`, `forbidden`, `weighting_not_found`
 */
export async function findWeighting(context: Context, surveyId: number): Promise<WeightingState> {
  const snapshot = await findSnapshot(context, surveyId, 'View')
  const weighting = weightingIn(snapshot)
  const { questionnaire: q } = snapshot
  const filters = parseFilters(ONLY_COMPLETE, q, 'strict', new Set())
  const counts = await countByRollup(context, surveyId, filters, STATES)
  const isCurrent = (await lastSeq(context.em.getKysely<Tables>(), surveyId)) === weighting.basis.seq
  return { questionnaire: q, weighting, isCurrent, responses: counts(STATES[1]!) }
}

/**
 * Deletes the weights of a survey.
 * @throws {Problem} `survey_not_found`, `forbidden`, `weighting_not_found`
 */
export async function removeWeighting(context: Context, surveyId: number): Promise<void> {
  await lockSurvey(context, surveyId, 'Correct')
  weightingIn(await findSnapshot(context, surveyId, 'View'))
  await store(context, surveyId, null)
}
