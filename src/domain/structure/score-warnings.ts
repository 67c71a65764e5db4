import { listsOutOfOrder, type NumberedStructure } from './numbering.ts'
import type { Structure } from './structure.ts'
import type { StructureWarning } from './warnings.ts'

export const SCORE_ORDER_MESSAGE =
  'The choices keep their scores, which no longer follow the order of the choices. Write a score for each choice if this is not what you want.'

/**
 * Returns a warning for each list of choices whose scores the author did not write and that no longer follow the order
 * of the choices.
 * @param authored the structure before choices got their stable numbers and scores
 */
export const scoreWarnings = (authored: Structure, saved: NumberedStructure): StructureWarning[] =>
  listsOutOfOrder(authored, saved).map((pointer) => ({
    pointer,
    code: 'score_order',
    message: SCORE_ORDER_MESSAGE,
    values: {},
  }))
