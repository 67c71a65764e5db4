import { round } from '../../domain/report/question-stats.ts'
import { findWeighting, removeWeighting, saveWeighting, type WeightingState } from '../../domain/report/weights.ts'
import type { Services } from '../../domain/services.ts'
import type { Operation, Schemas } from './operation.ts'
import { surveyUri } from './urls.ts'
import { textFormatOf } from './views.ts'

export const getWeighting: Operation<'getWeighting'> = async ({ context, path, query }) => {
  const state = await findWeighting(context, path.survey_id)
  return { status: 200, body: weightingView(context.services, path.survey_id, state, query.language) }
}

export const setWeighting: Operation<'setWeighting'> = async ({ context, path, body, query }) => {
  const { questions, min_weight: minWeight = 0.2, max_weight: maxWeight = 5 } = body
  const draft = {
    questions: questions.map(({ question, targets }) => ({
      question,
      targets: targets.map(({ choice, percentage }) => ({ choice: String(choice), percentage })),
    })),
    ...{ minWeight, maxWeight },
  }
  const state = await saveWeighting(context, path.survey_id, draft)
  return { status: 200, body: weightingView(context.services, path.survey_id, state, query.language) }
}

export const deleteWeighting: Operation<'deleteWeighting'> = async ({ context, path }) => {
  await removeWeighting(context, path.survey_id)
  return { status: 200, body: 'OK' }
}

const DIGITS = 4
const percent = (share: number): number => round(share * 100, 2)

function weightingView(
  services: Services,
  surveyId: number,
  { questionnaire: q, weighting, isCurrent, responses }: WeightingState,
  language: string | undefined,
): Schemas['Weighting'] {
  const format = textFormatOf(language, q)
  const { questions, min, max, basis } = weighting
  return {
    survey_uri: surveyUri(services, surveyId),
    computed_at: basis.at,
    n: basis.n,
    responses,
    up_to_date: isCurrent,
    min_weight: min,
    max_weight: max,
    iterations: basis.iterations,
    converged: basis.converged,
    largest_difference: round(basis.largestDifference * 100, DIGITS),
    trimmed: basis.trimmed,
    smallest: round(basis.smallest, DIGITS),
    largest: round(basis.largest, DIGITS),
    effective_n: round(basis.effectiveN, 1),
    questions: questions.flatMap(({ key, classes }) => {
      const field = q.fields.find((one) => one.storedKey === key)
      if (!field) return []
      return {
        question: field.key,
        title: format(field.question.title),
        targets: classes.flatMap(({ uid, target, share, weightedShare }) => {
          const choice = field.choices.find((one) => one.uid === uid)
          if (!choice) return []
          return {
            choice: choice.index,
            label: format(choice.label),
            percentage: percent(target),
            unweighted_percentage: percent(share),
            weighted_percentage: percent(weightedShare),
          }
        }),
      }
    }),
  }
}
