import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { storeBatch } from '../../../src/domain/response/submit/batch.ts'
import type { Completion, NewResponse } from '../../../src/domain/response/submit/new-response.ts'
import type { Tables } from '../../../src/domain/tables.ts'
import fc from '../../support/fast-check.ts'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
const COLLECTORS = 2
const KEYS = Array.from({ length: 4 }, () => randomBytes(20))

/** Generates a response. Survey, collector and key are indexes into the test data. */
const generatedResponse = fc.record({
  survey: fc.nat({ max: 3 }),
  collector: fc.nat({ max: COLLECTORS - 1 }),
  key: fc.nat({ max: KEYS.length - 1 }),
  completed: fc.constantFrom<Completion>(0, 1, 2),
  isCurrent: fc.boolean(),
})
type GeneratedResponse = typeof generatedResponse extends fc.Arbitrary<infer Value> ? Value : never

interface Survey {
  id: number
  revision: number
}

let subscriber: Person
let other: Person

beforeAll(async () => {
  subscriber = await world.person()
  other = await world.person()
  await subscriber.post('/api/v3/webhooks/', {
    json: { event: 'response_complete', subscription_url: 'http://127.0.0.1:1/' },
  })
})

const db = () => world.em().getKysely<Tables>()

/**
 * Creates three surveys. The first and the third belong to an account with a webhook, the second to an account without
 * a webhook.
 * @returns the three surveys, and as the fourth item a survey that does not exist
 */
async function createSurveys(): Promise<Survey[]> {
  const surveys: Survey[] = []
  for (const person of [subscriber, other, subscriber]) {
    const id = await makeSurvey(person)
    // The responses of the third survey have reserved ids.
    if (surveys.length === 2) await person.put(`/api/v3/surveys/${id}/settings/`, { json: { anonymous: true } })
    const { revision } = await db()
      .selectFrom('survey')
      .select('revision')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    surveys.push({ id, revision })
  }
  return [...surveys, { id: surveys.at(-1)!.id + 1_000_000, revision: 1 }]
}

function newResponse(surveys: readonly Survey[], generated: GeneratedResponse, position: number): NewResponse {
  const { id: surveyId, revision } = surveys[generated.survey]!
  return {
    surveyId,
    revision: generated.isCurrent ? revision : revision + 1,
    collectorId: generated.collector,
    key: KEYS[generated.key]!,
    completed: generated.completed,
    answers: JSON.stringify({ 1: `answer ${position}` }),
    createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, position)),
    locale: position,
    completionTime: null,
    weightedScore: 1.5,
    language: 'de',
    username: '',
    ipAddress: '',
    getVariables: null,
    referrer: null,
    pagepath: null,
    inviteCode: null,
    inviteEmail: null,
    inviteName: null,
  }
}

/**
 * Returns the rows that are stored for each survey: responses, counters, changes and webhook deliveries. Changes and
 * deliveries refer to a response by its answer instead of its ID, because IDs differ between surveys.
 */
async function storedFor(surveys: readonly Survey[]) {
  const state = []
  for (const { id } of surveys) {
    const response = sql<string>`(select answers->>'1' from response r where r.survey_id = ${id} and r.id = response_id)`
    const [responses, feed, counts, changes, deliveries] = await Promise.all([
      db().selectFrom('response').selectAll().where('survey_id', '=', id).orderBy('id').execute(),
      db().selectFrom('survey_feed').select(['seq', 'responses']).where('survey_id', '=', id).execute(),
      db()
        .selectFrom('response_count')
        .select(['collector_id', 'responses'])
        .where('survey_id', '=', id)
        .orderBy('collector_id')
        .execute(),
      db()
        .selectFrom('response_change')
        .select(['seq', 'kind', 'at', response.as('response')])
        .where('survey_id', '=', id)
        .orderBy('seq')
        .execute(),
      sql<{ response: string }>`select facts->'answers'->>'1' as response from webhook_delivery
        where (facts->>'survey_id')::bigint = ${id} order by id`.execute(db()),
    ])
    state.push({
      responses: responses.map(({ id: _, survey_id: __, ...row }) => row),
      feed,
      counts,
      changes,
      deliveries: deliveries.rows,
    })
  }
  return state
}

/** Replaces each response ID in the outcomes of a batch with the answer that is stored under this ID. */
async function outcomesByAnswer(responses: readonly NewResponse[], outcomes: readonly (number | 'stale')[]) {
  return Promise.all(
    outcomes.map(async (outcome, index) => {
      if (outcome === 'stale') return outcome
      const { surveyId } = responses[index]!
      const { rows } = await sql<{ answer: string }>`select answers->>'1' as answer from response
        where survey_id = ${surveyId} and id = ${outcome}`.execute(db())
      return rows[0]!.answer
    }),
  )
}

describe('a batch of responses to several surveys', () => {
  test('stores the same rows as if each response were stored separately', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(generatedResponse, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 2 }),
        async (batches) => {
          const together = await createSurveys()
          const single = await createSurveys()
          let position = 0
          for (const batch of batches) {
            const start = position
            position += batch.length
            const responsesTo = (surveys: readonly Survey[]) =>
              batch.map((generated, index) => newResponse(surveys, generated, start + index))
            const ofBatch = responsesTo(together)
            const outcomes = await storeBatch(db(), ofBatch)
            const ofSingle = responsesTo(single)
            const expected: (number | 'stale')[] = []
            for (const response of ofSingle) expected.push(...(await storeBatch(db(), [response])))
            expect(await outcomesByAnswer(ofBatch, outcomes)).toEqual(await outcomesByAnswer(ofSingle, expected))
          }
          const stored = await storedFor(together)
          expect(stored).toEqual(await storedFor(single))
          for (const { responses, feed, changes } of stored) {
            expect(feed[0]?.responses ?? 0).toBe(responses.length)
            for (const numbers of [changes.map(({ seq }) => seq), responses.map(({ number }) => number)])
              expect(numbers).toEqual(responses.map((_, index) => index + 1))
          }
        },
      ),
      { numRuns: 15 },
    )
  }, 60_000)

  test('stores all valid responses if one response violates a constraint', async () => {
    const surveys = await createSurveys()
    const { submissionBatcher } = world.application.services
    const generated = Array.from({ length: 9 }, (_, index) => ({
      survey: index % 3,
      collector: 0,
      key: Math.floor(index / 3),
      completed: 1 as const,
      isCurrent: true,
    }))
    const responses = generated.map((each, index) => newResponse(surveys, each, index))
    const invalid = { ...responses[4]!, completed: 3 as Completion }
    const outcomes = await Promise.allSettled(
      responses.map((response, index) => submissionBatcher.submit(index === 4 ? invalid : response)),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(
      responses.map((_, index) => (index === 4 ? 'rejected' : 'fulfilled')),
    )
    const stored = await storedFor(surveys)
    expect(stored.map(({ feed }) => feed[0])).toEqual([
      { seq: 3, responses: 3 },
      { seq: 2, responses: 2 },
      { seq: 3, responses: 3 },
      undefined,
    ])
    expect(stored.map(({ deliveries }) => deliveries.length)).toEqual([3, 0, 3, 0])
  })
})
