import type { Selectable } from 'kysely'
import type { Answers } from '../../structure/questionnaire.ts'
import { fromStored } from '../../structure/stored.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'

/** A row of the table `response`. Times are strings that `Date` parses. */
export type StoredResponse = Selectable<Tables['response']>

/**
 * Converts the answers of responses from stable numbers of choices and rows to present positions.
 * @returns the same objects if no choice or row of the survey was ever moved
 */
export const withCurrentPositions = ({ questionnaire: q }: SurveySnapshot, rows: StoredResponse[]): StoredResponse[] =>
  q.renumbered ? rows.map((row) => ({ ...row, answers: { ...fromStored(q, row.answers as Answers) } })) : rows
