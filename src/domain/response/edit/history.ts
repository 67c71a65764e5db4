import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../context.ts'
import { recordFrequentActivity } from '../../security/record.ts'
import type { Answer } from '../../structure/questionnaire.ts'
import { toStored } from '../../structure/stored.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import type { ResponseRecord, ResponseUpdate } from '../submit/save.ts'

/** The numbers in `response_revision.kind`. */
export const REVISION = { edited: 2, deleted: 3, restored: 4 } as const

/** The values that an edit replaced. */
export interface Replaced {
  /** By response key, as stored; null: there was no answer. */
  answers?: Record<string, Answer | null>
  completed?: number
  collector?: number
}

/** Stores what an edit replaces, unless it changes nothing. Call it in the transaction that stores the edit. */
export async function recordEdit(
  context: Context,
  { id: surveyId, questionnaire }: SurveySnapshot,
  stored: ResponseRecord,
  { answers = {}, cleared = [], completed, collectorId }: ResponseUpdate,
  reason?: string,
): Promise<void> {
  const { em, actor, now } = context
  const keys = [...new Set([...Object.keys(answers), ...cleared])].filter(
    (key) => !isDeepStrictEqual(answers[key], stored.answers[key]),
  )
  const [answered, absent] = [true, false].map((has) =>
    keys.filter((key) => Object.hasOwn(stored.answers, key) === has),
  )
  const old = Object.fromEntries(answered!.map((key) => [key, stored.answers[key]!]))
  const storedKey = (key: string) => questionnaire.byKey.get(key)?.storedKey ?? key
  const none = Object.fromEntries(absent!.map((key) => [storedKey(key), null]))
  const before: Replaced = {
    ...(keys.length > 0 && { answers: { ...none, ...toStored(questionnaire, old) } }),
    ...(completed !== undefined && completed !== stored.completed && { completed: stored.completed }),
    ...(collectorId !== undefined && collectorId !== stored.collectorId && { collector: stored.collectorId }),
  }
  if (Object.keys(before).length === 0) return
  await em
    .getKysely<Tables>()
    .insertInto('response_revision')
    .values({
      survey_id: surveyId,
      response_id: stored.id,
      kind: REVISION.edited,
      at: now,
      account_id: actor.id,
      reason: reason ?? null,
      before: JSON.stringify(before),
    })
    .execute()
  await recordFrequentActivity(context, surveyId, 'responses_corrected')
}
