import { describe, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { makeSurvey } from '../support/responses.ts'
import { eraseSurvey } from '../support/surveys.ts'
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

describe('a deletion while responses arrive', () => {
  const world = useWorld()

  /** Submits responses continuously. @returns functions that wait for the first responses, and that stop the clients */
  function startSubmissions(person: Person, surveyId: number, answers: Record<string, unknown>) {
    let running = true
    let stored = 0
    const runClient = async () => {
      const ids: number[] = []
      while (running) {
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
    const clients = Array.from({ length: CLIENTS }, runClient)
    return {
      firstStored: async () => {
        while (stored < CLIENTS) await new Promise((resolve) => setTimeout(resolve, 2))
      },
      stop: async () => {
        running = false
        await Promise.all(clients)
      },
    }
  }

  test('erases all rows of a survey', async () => {
    const person = await world.person()
    for (let round = 0; round < ROUNDS; round += 1) {
      const surveyId = await makeSurvey(person, ONE_QUESTION)
      const submissions = startSubmissions(person, surveyId, { what: 'soup' })
      await submissions.firstStored()
      await eraseSurvey(person, surveyId)
      await submissions.stop()
      expect(await rowsOf(surveyId)).toEqual({ response: 0, response_change: 0, survey_feed: 0, response_count: 0 })
    }
  }, 120_000)

  test('deletes a collector only if it has no responses', async () => {
    const person = await world.person()
    const surveyId = await makeSurvey(person, ONE_QUESTION)
    let deleted = 0
    for (let round = 0; round < 4 * ROUNDS; round += 1) {
      const { body } = await person.post('/api/v3/collectors/', { json: { survey: surveyId, name: `By ${round}` } })
      const submissions = startSubmissions(person, surveyId, { what: 'soup', _collector: body.id })
      const { status } = await person.delete(`/api/v3/collectors/${body.id}/`)
      await submissions.stop()
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
