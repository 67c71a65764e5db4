import { beforeAll, describe, expect, test } from '@jest/globals'
import { evaluationWork } from '../../../src/domain/structure/answer-cache.ts'
import {
  addSurvey,
  addUnlimitedSurvey,
  formAction,
  hiddenValue,
  pageOf,
  submitForm,
  text,
} from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index))
const grid = (rows: number) => ({
  idname: 'single-choice-grid',
  id: 'g',
  choices: times(15, (index) => ({ label: `c${index}` })),
  children: times(rows, () => ({ label: 'r' })),
})
const rules = (count: number) => ({ all: times(count, () => ({ question: 'g', op: 'ne', value: 14 })) })
const survey = (rows: number, ruleCount: number) => ({
  title: 'T',
  form: [pageOf(grid(rows)), pageOf({ ...text('t'), condition: rules(ruleCount) }), pageOf(text('end'))],
})
const filled = (rows: number) => Object.fromEntries(times(rows, (index) => [`g_${index}`, '3']))

/** Returns the work that the conditions and calculations of a request cause. */
async function workOf(run: () => Promise<unknown>) {
  const before = { ...evaluationWork }
  await run()
  return {
    comparisons: evaluationWork.comparisons - before.comparisons,
    pages: evaluationWork.pages - before.pages,
    answers: evaluationWork.answers - before.answers,
  }
}

describe('a structure whose rules and rows multiply', () => {
  const structure = survey(1000, 9900)
  test.each<[string, string, object]>([
    ['createSurvey of v2', '/api/v2/surveys/', structure],
    ['createTemplate of v3', '/api/v3/templates/', { name: 'T', structure }],
  ])('is rejected by %s with the place and the code too_complex', async (_, path, json) => {
    const reply = await ann.post(path, { json })
    expect(reply.status).toBe(400)
    expect(JSON.stringify(reply.body)).toContain('"too_complex"')
    expect(JSON.stringify(reply.body)).toContain('/form/1/children/0/condition/all/100')
  })
})

describe('a survey with the largest allowed number of comparisons', () => {
  const [rows, ruleCount, comparisons] = [1000, 100, 100_000]
  let path: string
  beforeAll(async () => {
    ;({ path } = await addSurvey(ann, survey(rows, ruleCount)))
  })

  test('is evaluated only up to the page that a request needs', async () => {
    let page = { text: '' }
    const open = async () => {
      page = await world.anonymous.get(path)
    }
    expect((await workOf(open)).pages).toBeLessThanOrEqual(2)
    const form = { ...filled(rows), _page: '1', _go: 'look', _key: hiddenValue(page, '_key') }
    const look = () => world.anonymous.post(formAction(page), { form })
    expect(await workOf(look)).toEqual({ pages: 1, comparisons: 0, answers: 0 })
    const prefilled = `${path}?${new URLSearchParams(filled(200))}`
    expect((await workOf(() => world.anonymous.get(prefilled))).pages).toBeLessThanOrEqual(4)
  })

  test('is evaluated once for each object of answers of a submitted page', async () => {
    const page = await world.anonymous.get(path)
    let location = ''
    const submit = async () => {
      location = (await submitForm(world.anonymous, page, filled(rows))).headers.get('location')!
    }
    const submitted = await workOf(submit)
    expect(submitted.comparisons).toBe(comparisons)
    expect(submitted.answers).toBe(rows)
    expect(location).toContain('page=2')
    expect((await workOf(() => world.anonymous.get(location))).comparisons).toBeLessThanOrEqual(comparisons)
  })
})

describe('a survey that an earlier version stored with more comparisons than are allowed now', () => {
  test('is still served, and converts each answer only once in an evaluation', async () => {
    const path = await addUnlimitedSurvey(world, ann, survey(1000, 2000))
    const page = await world.anonymous.get(path)
    expect(page.status).toBe(200)
    let status = 0
    const submit = async () => {
      const reply = await submitForm(world.anonymous, page, filled(1000))
      status = (await world.anonymous.get(reply.headers.get('location')!)).status
    }
    const { answers } = await workOf(submit)
    expect(answers).toBeLessThanOrEqual(3000)
    expect(status).toBe(200)
  })

  test('adds up a grid once for all calculations that use it', async () => {
    const expression = times(160, () => '{{g}}').join('+')
    const calculations = times(100, (index) => ({ idname: 'calculation', id: `c${index}`, title: 'C', expression }))
    const path = await addUnlimitedSurvey(world, ann, {
      title: 'T',
      form: [pageOf(grid(1000)), pageOf(...calculations, { ...text('t'), title: 'Sum {{c99}}' })],
    })
    const page = await world.anonymous.get(path)
    let next = ''
    const submit = async () => {
      const reply = await submitForm(world.anonymous, page, filled(1000))
      next = (await world.anonymous.get(reply.headers.get('location')!)).text
    }
    expect((await workOf(submit)).answers).toBeLessThanOrEqual(3000)
    expect(next).toContain(`Sum ${160 * 4000}`)
  })
})
