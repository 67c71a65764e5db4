import { describe, expect, it } from '@jest/globals'
import { saveAnswers } from '../../../src/domain/response/submit/save.ts'
import { getSnapshot } from '../../../src/domain/survey/snapshot.ts'
import type { Tables } from '../../../src/domain/tables.ts'
import { pageOf, responsesTo, sendForm, single, surveyOf } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'
import { little } from '../sample-surveys.ts'

const world = useWorld()

const withQuota = (action: string, limit: number) => ({
  title: 'Quota',
  form: [pageOf(single('q', ['A', 'B']))],
  quotas: [
    { name: 'as', when: { all: [{ question: 'q', op: 'eq', value: 0 }] }, limit, action, message: `Enough: ${action}` },
  ],
})

/** Opens and submits a one-page survey, and follows the redirect. */
async function take(path: string, answers: Record<string, string>) {
  const sent = await sendForm(world.anonymous, await world.anonymous.get(path), answers)
  return sent.status === 303 ? world.anonymous.get(sent.headers.get('location')!) : sent
}

const placesIn = async (surveyId: number) =>
  (
    await world
      .em()
      .getKysely<Tables>()
      .selectFrom('response_quota')
      .selectAll()
      .where('survey_id', '=', surveyId)
      .execute()
  ).length

describe('quotas', () => {
  it.each([
    ['complete', 1],
    ['terminate', 2],
  ])(
    'shows the message of a full quota with the action %s, and stores the response as %i',
    async (action, completed) => {
      const { survey, path } = await surveyOf(world, await world.person(), withQuota(action, 1))
      expect((await take(path, { q: '0' })).text).toContain('Thank you!')
      expect((await take(path, { q: '0' })).text).toContain(`Enough: ${action}`)
      expect((await take(path, { q: '1' })).text).toContain('Thank you!')
      expect((await responsesTo(world, survey.id)).map((row) => row.completed)).toEqual([1, completed, 1])
      expect(await placesIn(survey.id)).toBe(1)
    },
  )

  it('closes the survey when a quota with the action close is full', async () => {
    const { path } = await surveyOf(world, await world.person(), withQuota('close', 1))
    await take(path, { q: '0' })
    expect((await take(path, { q: '0' })).text).toContain('Enough: close')
    expect((await world.anonymous.get(path)).text).toContain('not live at the moment')
  })

  it('accepts no response beyond the quota under concurrent submissions', async () => {
    const { survey, path } = await surveyOf(world, await world.person(), withQuota('terminate', 5))
    await Promise.all(Array.from({ length: 20 }, () => take(path, { q: '0' })))
    const rows = await responsesTo(world, survey.id)
    expect(rows.filter(({ completed }) => completed === 1)).toHaveLength(5)
    expect(rows.filter(({ completed }) => completed === 2)).toHaveLength(15)
  })

  it('frees the quota slot of an edited and of a deleted response', async () => {
    const { survey, path } = await surveyOf(world, await world.person(), withQuota('terminate', 1))
    await take(path, { q: '0' })
    const [first] = await responsesTo(world, survey.id)
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
    expect(await placesIn(survey.id)).toBe(0)
    expect((await take(path, { q: '0' })).text).toContain('Thank you!')
    expect(await placesIn(survey.id)).toBe(1)
    await world.em().getKysely<Tables>().deleteFrom('response').where('survey_id', '=', survey.id).execute()
    expect(await placesIn(survey.id)).toBe(0)
  })
})

describe('max_responses', () => {
  it('accepts no response beyond the limit under concurrent submissions, and then shows that the survey is full', async () => {
    const { survey, path } = await surveyOf(world, await world.person(), little, { max_responses: 4 })
    const first = await world.anonymous.get(path)
    const ends = await Promise.all(Array.from({ length: 12 }, () => take(path, { one: '0' })))
    expect(ends.filter(({ text }) => text.includes('Thank you!'))).toHaveLength(4)
    expect((await responsesTo(world, survey.id)).filter(({ completed }) => completed === 1)).toHaveLength(4)
    expect((await world.anonymous.get(path)).text).toContain('has received enough responses')
    const late = await sendForm(world.anonymous, first, { one: '0' })
    expect(late.status).toBe(303)
    expect((await world.anonymous.get(late.headers.get('location')!)).text).toContain('has received enough responses')
  })
})

describe('the change feed', () => {
  it('numbers every save of every page in sequence, without gaps', async () => {
    const { survey, path } = await surveyOf(world, await world.person(), {
      title: 'T',
      form: [pageOf(single('a', ['A', 'B'])), pageOf(single('b', ['A', 'B']))],
    })
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const second = await take(path, { a: '0' })
        await sendForm(world.anonymous, second, { b: '1' })
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
