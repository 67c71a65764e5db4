import type { Json } from './walk.ts'

/** Returns the score that the author set (a string in old surveys), or the fallback. */
export function scoreOf({ score }: Json, fallback: number): number {
  if (typeof score === 'string' && score.trim() !== '' && Number.isFinite(Number(score))) return Number(score)
  return typeof score === 'number' ? score : fallback
}

/** Whether the author set the score of a choice. */
const isScored = (choice: Json): boolean => !Number.isNaN(scoreOf(choice, Number.NaN))

/** A choice of the structure that is replaced, or of an earlier one, with its score there. */
export interface EarlierScore {
  uid: number
  score?: number
}

/**
 * Writes the score of each choice that would get another one by its position. A choice without a score keeps the score
 * that it had in the structure that is replaced, so moving a choice does not change the scores of its answers. A new
 * choice gets the next unused number; the choices of a new list have their positions from 1.
 * @param choices the choices with their stable numbers
 */
export function keepScores(choices: readonly Json[], earlier: readonly EarlierScore[]): Json[] {
  if (earlier.length === 0) return [...choices]
  const earlierScores = new Map(earlier.map(({ uid, score }) => [uid, score]))
  const kept = choices.map((choice) => (isScored(choice) ? scoreOf(choice, 0) : earlierScores.get(Number(choice.uid))))
  const used = new Set([...kept, ...earlierScores.values()])
  return choices.map((choice, index) => {
    const score = kept[index] ?? nextUnused(Number(choice.uid) + 1, used)
    used.add(score)
    return isScored(choice) || score === index + 1 ? choice : { ...choice, score }
  })
}

/** The stable number of a new choice is the next unused one, and first scores are stable numbers from 1. */
function nextUnused(from: number, used: ReadonlySet<number | undefined>): number {
  let score = from
  while (used.has(score)) score++
  return score
}

/** Reports whether choices without an authored score have scores that do not follow their order. */
export const isOutOfOrder = (authored: readonly Json[], saved: readonly Json[]): boolean =>
  authored.some((choice) => !isScored(choice)) &&
  saved.some((choice, index) => index > 0 && scoreOf(choice, index + 1) <= scoreOf(saved[index - 1]!, index))
