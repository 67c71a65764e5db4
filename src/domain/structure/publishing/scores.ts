import { scoreOf } from '../choice-score.ts'
import { kindOf } from '../kinds.ts'
import { SCORE_ORDER_MESSAGE } from '../score-warnings.ts'
import { settingOf } from '../setting.ts'
import type { Structure, StructureQuestion } from '../structure.ts'
import { arrayOf, isRecord } from '../walk.ts'
import type { StructureWarning } from '../warnings.ts'

/**
 * Returns a finding for each list of choices whose scores were positions once and no longer follow the order: the
 * author moved choices, or added some between others. Scores in descending order are a reversed scale, unless the
 * published structure has the same choices with ascending scores.
 */
export function scoresOutOfOrder(structure: Structure, published: Structure): StructureWarning[] {
  const before = new Map(published.form.flatMap(({ children }) => children.map((question) => [question.id, question])))
  return structure.form.flatMap(({ children }, page) =>
    children.flatMap((question, index): StructureWarning[] => {
      const earlier = before.get(question.id)
      const scores = scoresIn(question)
      if (!isShuffled(scores) && !(isReversed(scores) && earlier && isAscending(scoresIn(earlier)))) return []
      return [
        { pointer: `/form/${page}/children/${index}`, code: 'score_order', message: SCORE_ORDER_MESSAGE, values: {} },
      ]
    }),
  )
}

/** The types whose choices respondents order or that have no scores. */
const UNSCORED = new Set(['ranking', 'text-response-grid'])

const scoresIn = (question: StructureQuestion): number[] =>
  UNSCORED.has(kindOf(question.idname))
    ? []
    : arrayOf(settingOf(question, 'choices'))
        .filter(isRecord)
        .map((choice, index) => scoreOf(choice, index + 1))

/** Returns whether scores are different natural numbers in neither ascending nor descending order, as after a move. */
const isShuffled = (scores: readonly number[]): boolean =>
  new Set(scores).size === scores.length &&
  scores.every((score) => Number.isInteger(score) && score > 0 && score <= scores.length * 2) &&
  !isAscending(scores) &&
  !isReversed(scores)

const isAscending = (scores: readonly number[]): boolean =>
  scores.every((score, index) => index === 0 || score > scores[index - 1]!)

const isReversed = (scores: readonly number[]): boolean =>
  scores.length > 1 && scores.every((score, index) => index === 0 || score < scores[index - 1]!)
