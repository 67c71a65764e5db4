import type { Selectable } from 'kysely'
import type { Answers } from '../../structure/questionnaire.ts'
import { fromStored } from '../../structure/stored.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'

/** A row of the table of responses. Times are texts that `Date` parses. */
export type StoredResponse = Selectable<Tables['response']>

/**
 * Translates the answers of rows from stable numbers of choices and rows to their present positions.
 * @returns the same objects if no choice of the survey was ever moved
 */
export const readRows = ({ questionnaire: q }: SurveySnapshot, rows: StoredResponse[]): StoredResponse[] =>
  q.renumbered ? rows.map((row) => ({ ...row, answers: { ...fromStored(q, row.answers as Answers) } })) : rows
