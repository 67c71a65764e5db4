import { describe, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const ROUNDS = 8
const CLIENTS = 16
const ONE_QUESTION = {
  title: 'Lunch',
  form: [
    {
      type: 'page',
      children: [{ idname: 'text-response', id: 'what', title: 'What?', children: [{ type: 'string' }] }],
    },
  ],
}

describe('deleting while responses arrive', () => {
  const world = useWorld()

  /** Hands responses in without a pause until it is told to stop. @returns how many were acknowledged */
  function arriving(person: Person, surveyId: number, answers: Record<string, unknown>) {
    let going = true
    let stored = 0
    const one = async () => {
      const ids: number[] = []
      while (going) {
        const { status, body } = await person.post(`/api/v3/surveys/${surveyId}/responses/`, { json: answers })
        if (status === 201) {
          stored += 1
          ids.push(body.id)
        } else if (status >= 500) throw new Error(`status ${status}`)
        const last = ids.at(-1)
        if (last && ids.length % 3 === 0)
          await person.put(`/api/v3/surveys/${surveyId}/responses/${last}/`, { json: { what: 'edited' } })
      }
    }
    const clients = Array.from({ length: CLIENTS }, one)
    return {
      some: async () => {
        while (stored < CLIENTS) await new Promise((resolve) => setTimeout(resolve, 2))
      },
      stop: async () => {
        going = false
        await Promise.all(clients)
      },
    }
  }

  test('a survey leaves no row of any table behind', async () => {
    const person = await world.person()
    for (let round = 0; round < ROUNDS; round += 1) {
      const surveyId = await makeSurvey(person, ONE_QUESTION)
      const arrival = arriving(person, surveyId, { what: 'soup' })
      await arrival.some()
      const { status } = await person.delete(`/api/v3/surveys/${surveyId}/`)
      await arrival.stop()
      expect(status).toBe(200)
      expect(await rowsOf(surveyId)).toEqual({ response: 0, response_change: 0, survey_feed: 0, response_count: 0 })
    }
  }, 120_000)

  test('a collector that is gone has no responses, and one that has responses is not gone', async () => {
    const person = await world.person()
    const surveyId = await makeSurvey(person, ONE_QUESTION)
    let deleted = 0
    for (let round = 0; round < 4 * ROUNDS; round += 1) {
      const { body } = await person.post('/api/v3/collectors/', { json: { survey: surveyId, name: `By ${round}` } })
      const arrival = arriving(person, surveyId, { what: 'soup', _collector: body.id })
      const { status } = await person.delete(`/api/v3/collectors/${body.id}/`)
      await arrival.stop()
      const { rows } = await sql<{ count: number }>`select count(*)::int as count from response
        where survey_id = ${surveyId} and collector_id = ${body.id}`.execute(world.em().getKysely())
      if (status === 200) {
        deleted += 1
        expect(rows).toEqual([{ count: 0 }])
      } else expect([status, rows[0]!.count > 0]).toEqual([409, true])
    }
    expect(deleted).toBeGreaterThan(0)
  }, 120_000)

  async function rowsOf(surveyId: number): Promise<Record<string, number>> {
    const counts: Record<string, number> = {}
    for (const table of ['response', 'response_change', 'survey_feed', 'response_count']) {
      const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}
        where survey_id = ${surveyId}`.execute(world.em().getKysely())
      counts[table] = rows[0]!.count
    }
    return counts
  }
})
