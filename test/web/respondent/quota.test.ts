import { describe, expect, it } from '@jest/globals'
import { saveAnswers } from '../../../src/domain/response/submit/save.ts'
import { getSnapshot } from '../../../src/domain/survey/snapshot.ts'
import type { Tables } from '../../../src/domain/tables.ts'
import { addSurvey, pageOf, single, storedResponses, submitForm } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'
import { oneQuestion } from '../sample-surveys.ts'

const world = useWorld()

const withQuota = (action: string, limit: number) => ({
  title: 'Quota',
  form: [pageOf(single('q', ['A', 'B']))],
  quotas: [
    { name: 'as', when: { all: [{ question: 'q', op: 'eq', value: 0 }] }, limit, action, message: `Enough: ${action}` },
  ],
})

/** Opens and submits the first page of a survey, and follows the redirect. */
async function submitFirstPage(path: string, answers: Record<string, string>) {
  const reply = await submitForm(world.anonymous, await world.anonymous.get(path), answers)
  return reply.status === 303 ? world.anonymous.get(reply.headers.get('location')!) : reply
}

const countSlots = async (surveyId: number) =>
  (
    await world
      .em()
      .getKysely<Tables>()
      .selectFrom('response_quota')
      .selectAll()
      .where('survey_id', '=', surveyId)
      .execute()
  ).length

describe('quotas [spec 6.10]', () => {
  it.each([
    ['complete', 1],
    ['terminate', 2],
  ])(
    'shows the message of a full quota with the action %s, and stores completed = %i [spec 7.4]',
    async (action, completed) => {
      const { survey, path } = await addSurvey(await world.person(), withQuota(action, 1))
      expect((await submitFirstPage(path, { q: '0' })).text).toContain('Thank you!')
      expect((await submitFirstPage(path, { q: '0' })).text).toContain(`Enough: ${action}`)
      expect((await submitFirstPage(path, { q: '1' })).text).toContain('Thank you!')
      expect((await storedResponses(world, survey.id)).map((row) => row.completed)).toEqual([1, completed, 1])
      expect(await countSlots(survey.id)).toBe(1)
    },
  )

  it('closes the survey when a quota with the action close is full', async () => {
    const { path } = await addSurvey(await world.person(), withQuota('close', 1))
    await submitFirstPage(path, { q: '0' })
    expect((await submitFirstPage(path, { q: '0' })).text).toContain('Enough: close')
    expect((await world.anonymous.get(path)).text).toContain('not open at the moment')
  })

  it('completes no more responses than the quota allows, and terminates the others, under concurrent submissions', async () => {
    const { survey, path } = await addSurvey(await world.person(), withQuota('terminate', 5))
    await Promise.all(Array.from({ length: 20 }, () => submitFirstPage(path, { q: '0' })))
    const rows = await storedResponses(world, survey.id)
    expect(rows.filter(({ completed }) => completed === 1)).toHaveLength(5)
    expect(rows.filter(({ completed }) => completed === 2)).toHaveLength(15)
  })

  it('frees the quota slot of an edited response and of a deleted response', async () => {
    const { survey, path } = await addSurvey(await world.person(), withQuota('terminate', 1))
    await submitFirstPage(path, { q: '0' })
    const [first] = await storedResponses(world, survey.id)
    const snapshot = (await getSnapshot(world.em(), survey.id))!
    await world
      .em()
      .transactional((em) =>
        saveAnswers(
          { em, now: world.now, services: world.application.services },
          snapshot,
          { id: first!.id },
          { answers: { q: 1 } },
        ),
      )
    expect(await countSlots(survey.id)).toBe(0)
    expect((await submitFirstPage(path, { q: '0' })).text).toContain('Thank you!')
    expect(await countSlots(survey.id)).toBe(1)
    await world.em().getKysely<Tables>().deleteFrom('response').where('survey_id', '=', survey.id).execute()
    expect(await countSlots(survey.id)).toBe(0)
  })
})

describe('max_responses', () => {
  it('accepts no response beyond the limit under concurrent submissions, and then shows that the survey is full', async () => {
    const { survey, path } = await addSurvey(await world.person(), oneQuestion, { max_responses: 4 })
    const first = await world.anonymous.get(path)
    const replies = await Promise.all(Array.from({ length: 12 }, () => submitFirstPage(path, { one: '0' })))
    expect(replies.filter(({ text }) => text.includes('Thank you!'))).toHaveLength(4)
    expect((await storedResponses(world, survey.id)).filter(({ completed }) => completed === 1)).toHaveLength(4)
    expect((await world.anonymous.get(path)).text).toContain('has received enough responses')
    const rejected = await submitForm(world.anonymous, first, { one: '0' })
    expect(rejected.status).toBe(303)
    expect((await world.anonymous.get(rejected.headers.get('location')!)).text).toContain(
      'has received enough responses',
    )
  })
})

describe('the change feed', () => {
  it('numbers every save of every page in sequence, without gaps', async () => {
    const { survey, path } = await addSurvey(await world.person(), {
      title: 'T',
      form: [pageOf(single('a', ['A', 'B'])), pageOf(single('b', ['A', 'B']))],
    })
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const second = await submitFirstPage(path, { a: '0' })
        await submitForm(world.anonymous, second, { b: '1' })
      }),
    )
    const db = world.em().getKysely<Tables>()
    const changes = await db
      .selectFrom('response_change')
      .selectAll()
      .where('survey_id', '=', survey.id)
      .orderBy('seq')
      .execute()
    expect(changes.map(({ seq }) => seq)).toEqual(Array.from({ length: 16 }, (_, index) => index + 1))
    expect(changes.filter(({ kind }) => kind === 2)).toHaveLength(8)
    const feed = await db
      .selectFrom('survey_feed')
      .selectAll()
      .where('survey_id', '=', survey.id)
      .executeTakeFirstOrThrow()
    expect(feed).toMatchObject({ seq: 16, responses: 8 })
  })
})
