import type { Kysely } from 'kysely'
import { fieldError } from '../field-error.ts'
import { problems } from '../problem.ts'
import { answerTo } from '../structure/answered.ts'
import { fileFields, fileKeysOf } from '../structure/file-answer.ts'
import type { Answers, Field, Questionnaire } from '../structure/questionnaire.ts'
import type { Tables } from '../tables.ts'

/** A response whose answers contain files. */
export interface FileOwner {
  surveyId: number
  id: number
  key: Buffer
}

/**
 * Assigns the files in new answers to a response, and deletes the files that its answers no longer contain. If no file
 * changes, runs no statement. Call it in the transaction that stores the answers.
 * @throws {Problem} `survey_error` for a file that does not exist, or that belongs to another question or response
 */
export async function attachFiles(
  db: Kysely<Tables>,
  q: Questionnaire,
  owner: FileOwner,
  before: Answers,
  after: Answers,
): Promise<void> {
  for (const field of fileFields(q)) {
    const [old, current] = [before, after].map((answers) => fileKeysOf(answerTo(answers, field.key)))
    const added = current!.filter((key) => !old!.includes(key))
    const removed = old!.filter((key) => !current!.includes(key))
    if (added.length > 0) await claim(db, field, owner, added)
    if (removed.length > 0)
      await db
        .deleteFrom('uploaded_file')
        .where('survey_id', '=', owner.surveyId)
        .where('response_id', '=', owner.id)
        .where('key', 'in', removed)
        .execute()
  }
}

async function claim(db: Kysely<Tables>, field: Field, { surveyId, id, key }: FileOwner, keys: string[]) {
  const claimed = await db
    .updateTable('uploaded_file')
    .set({ response_id: id, response_key: null })
    .where('survey_id', '=', surveyId)
    .where('key', 'in', keys)
    .where('question_id', '=', field.question.id)
    .where((eb) =>
      eb.or([
        eb('response_id', '=', id),
        eb.and([eb('response_id', 'is', null), eb.or([eb('response_key', 'is', null), eb('response_key', '=', key)])]),
      ]),
    )
    .returning('key')
    .execute()
  if (claimed.length < keys.length) throw problems.invalidAnswers([fieldError(field.key, 'file_not_found')])
}
