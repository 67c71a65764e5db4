import { describe, expect, it } from '@jest/globals'
import { activeSeconds } from '../../../src/domain/response/submit/save.ts'
import type { Reply } from '../../support/client.ts'
import fc from '../../support/fast-check.ts'
import { addSurvey, pageOf, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
const MINUTE = 60
const DAY = 86_400

const pass = (seconds: number) => {
  world.now = new Date(world.now.getTime() + seconds * 1000)
}
const submit = (reply: Reply, form: Record<string, string>) => submitForm(world.anonymous, reply, form)
const addPages = async (settings: object = {}) =>
  addSurvey(
    await world.person(),
    { title: 'Pages', form: [pageOf(text('a')), pageOf(text('b', { required: true })), pageOf(text('c'))] },
    settings,
  )

/** Answers the survey. Each number is the seconds that pass before the page is submitted; 'open' loads it again. */
async function answer(path: string, ...pages: (number | readonly [number, 'open', number])[]): Promise<void> {
  let address = path
  let page = await world.anonymous.get(address)
  for (const [index, time] of pages.entries()) {
    const [before, , after] = typeof time === 'number' ? [time] : time
    pass(before)
    if (after !== undefined) {
      page = await world.anonymous.get(address)
      pass(after)
    }
    address = (await submit(page, { [['a', 'b', 'c'][index]!]: 'x' })).headers.get('location')!
    page = await world.anonymous.get(address)
  }
}

describe('_completion_time [spec 7.1]', () => {
  it('counts from the display of the first page', async () => {
    const { survey, path } = await addPages()
    await answer(path, 8, 2, 5)
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completed: 1, completion_time: 15 }])
  })

  it('is unknown until the response ends', async () => {
    const person = await world.person()
    const { survey, path } = await addSurvey(person, { title: 'P', form: [pageOf(text('a')), pageOf(text('b'))] })
    await answer(path, 8)
    const { body } = await person.get(`/api/v3/surveys/${survey.id}/responses/`)
    expect(body.results).toMatchObject([{ _completed: 0, _completion_time: null }])
    expect((await person.get(`/api/v3/surveys/${survey.id}/responses/?_completion_time<60`)).body.results).toEqual([])
  })

  it('leaves out a pause of days, and counts the page that is opened after it', async () => {
    const { survey, path } = await addPages()
    await answer(path, 8, [3 * DAY, 'open', 20], 5)
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completion_time: 33 }])
  })

  it('leaves out more than 30 minutes on an open page, the first one included', async () => {
    for (const [pages, expected] of [
      [[31 * MINUTE, 10, 10], 20],
      [[10, 31 * MINUTE, 10], 20],
      [[30 * MINUTE, 30 * MINUTE, 10], 3610],
    ] as const) {
      const { survey, path } = await addPages()
      await answer(path, ...pages)
      expect(await storedResponses(world, survey.id)).toMatchObject([{ completion_time: expected }])
    }
  })

  it('includes pages that were rejected, and a survey with limits', async () => {
    const { survey, path } = await addPages({ max_responses: 5 })
    let page = await world.anonymous.get(path)
    pass(8)
    page = await world.anonymous.get((await submit(page, { a: 'x' })).headers.get('location')!)
    pass(4)
    page = await submit(page, { b: '' })
    pass(3)
    page = await world.anonymous.get((await submit(page, { b: 'y' })).headers.get('location')!)
    await submit(page, { c: '' })
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completed: 1, completion_time: 15 }])
  })

  it('is the median of the statistics', async () => {
    const person = await world.person()
    const { survey, path } = await addSurvey(person, { title: 'P', form: [pageOf(text('a')), pageOf(text('b'))] })
    await answer(path, 8, 2)
    const { body } = await person.get(`/api/v3/surveys/${survey.id}/statistics/`)
    expect(body.median_completion_seconds).toBe(10)
  })

  it('of an API response counts from its creation, without long pauses', async () => {
    const person = await world.person()
    const { survey } = await addSurvey(person, { title: 'P', form: [pageOf(text('a'))] })
    const uri = `/api/v3/surveys/${survey.id}/responses/`
    const { body } = await person.post(uri, { json: { a: 'x' } })
    pass(20)
    await person.put(`${uri}${body.id}/`, { json: { a: 'y' } })
    pass(DAY)
    await person.put(`${uri}${body.id}/`, { json: { _completed: 1 } })
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completion_time: 20 }])
  })

  it('never counts more than the time that passed, whatever the form says', () => {
    const moment = fc.integer({ min: -5_000, max: 100_000 })
    fc.assert(
      fc.property(moment, moment, fc.option(moment, { nil: undefined }), (from, to, shown) => {
        const at = (seconds: number) => new Date(seconds * 1000)
        const counted = activeSeconds(at(from), at(to), shown === undefined ? undefined : at(shown))
        expect(counted).toBeGreaterThanOrEqual(0)
        expect(counted).toBeLessThanOrEqual(Math.min(30 * MINUTE, Math.max(0, to - from)))
        if (to >= from && to - from <= 30 * MINUTE) expect(counted).toBe(to - from)
      }),
    )
  })
})
