import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { addMember, makeGroup, share } from '../../support/groups.ts'
import { respond } from '../../support/respondents.ts'
import { makeSurvey, TWO_PAGES } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
let eve: Person
let team: number
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  bob = await world.person({ username: 'bob' })
  eve = await world.person({ username: 'eve' })
  team = await makeGroup(ann, 'Coders')
  for (const coder of [bob, eve]) await addMember(ann, team, coder, 'view correct')
})

let survey: number
let uri: string
let staff: number
let price: number
let ids: number[]

beforeEach(async () => {
  survey = await makeSurvey(ann, TWO_PAGES)
  await share(ann, survey, team)
  uri = `/api/v3/surveys/${survey}/coding/`
  ids = []
  for (let n = 0; n < 4; n += 1) ids.push((await respond(world, survey, { answers: { a: `Text ${n}` } })).id)
  staff = (await ann.post(`${uri}categories/`, { json: { name: 'Staff' } })).body.id
  price = (await ann.post(`${uri}categories/`, { json: { name: 'Price' } })).body.id
})

const code = async (person: Person, index: number, json: object) => {
  const answers = [{ response_id: ids[index]!, key: 'a' }]
  const reply = await person.post(`${uri}answers/`, { json: { answers, ...json } })
  expect(reply.status).toBe(200)
}
const open = async () => (await ann.post(`${uri}rounds/`)).body.id as number
const close = (id: number, json: object = {}) => ann.put(`${uri}rounds/${id}/`, { json })
/** Returns the categories that a person sees, by the text of the answer. */
const seen = async (person: Person) =>
  Object.fromEntries(
    (await person.get(`${uri}answers/?coded=yes`)).body.results.map(
      ({ text, categories }: { text: string; categories: number[] }) => [text, categories],
    ),
  )

describe('openCodingRound', () => {
  test('lets everybody see and change only their own coding until it is closed [spec 7.18]', async () => {
    await code(ann, 0, { add: [price] })
    const id = await open()
    expect([await seen(ann), await seen(bob)]).toEqual([{}, {}])
    await code(ann, 0, { add: [staff] })
    await code(bob, 0, { add: [price] })
    await code(bob, 1, { none: true })
    expect([await seen(ann), await seen(bob), await seen(eve)]).toEqual([
      { 'Text 0': [staff] },
      { 'Text 0': [price], 'Text 1': [] },
      {},
    ])
    const counts = async (person: Person) =>
      (await person.get(`${uri}categories/`)).body.results.map(({ answers }: { answers: number }) => answers)
    expect([await counts(ann), await counts(bob)]).toEqual([
      [0, 1],
      [1, 0],
    ])
    const blind = await bob.get(`${uri}rounds/${id}/`)
    expect([blind.status, blind.body.code]).toEqual([409, 'round_open'])
    expect((await close(id, { adopt: 'nothing' })).body).toMatchObject({ id, closed_at: expect.any(String) })
    expect([await seen(ann), await seen(bob)]).toEqual([{ 'Text 0': [price] }, { 'Text 0': [price] }])
  })

  test('is refused to everybody but the owner, and while another round is open [spec 7.18]', async () => {
    const refused = await bob.post(`${uri}rounds/`)
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
    const id = await open()
    const second = await ann.post(`${uri}rounds/`)
    expect([second.status, second.body.code]).toEqual([409, 'round_open'])
    expect((await bob.put(`${uri}rounds/${id}/`, { json: {} })).status).toBe(403)
  })

  test('does not keep rules from the coding of the survey [spec 7.18]', async () => {
    const id = await open()
    await ann.post(`${uri}rules/`, { json: { contains: 'text 2', category: staff, apply: true } })
    await world.runJobs()
    expect(await seen(ann)).toEqual({})
    await close(id)
    expect(await seen(ann)).toEqual({ 'Text 2': [staff] })
  })
})

describe('closeCodingRound', () => {
  test('adds what all coders of an answer have in common to the coding of the survey [spec 7.18]', async () => {
    const id = await open()
    await code(ann, 0, { add: [staff, price] })
    await code(bob, 0, { add: [staff] })
    await code(ann, 1, { add: [price] })
    await code(bob, 1, { none: true })
    await code(ann, 2, { none: true })
    await code(bob, 2, { none: true })
    await code(bob, 3, { add: [price] })
    await close(id)
    expect(await seen(ann)).toEqual({ 'Text 0': [staff], 'Text 2': [], 'Text 3': [price] })
    await code(ann, 3, { remove: [price] })
    expect((await close(id, { adopt: 'any' })).status).toBe(200)
    expect(await seen(ann)).toEqual({ 'Text 0': [staff], 'Text 2': [] })
  })

  test('adds what any coder chose, but not “none” beside a category [spec 7.18]', async () => {
    const id = await open()
    await code(ann, 0, { add: [price] })
    await code(bob, 0, { add: [staff] })
    await code(ann, 1, { none: true })
    await code(bob, 1, { add: [price] })
    await close(id, { adopt: 'any' })
    expect(await seen(ann)).toEqual({ 'Text 0': [staff, price], 'Text 1': [price] })
    expect((await ann.get(`${uri}answers/?coded=none`)).body.results).toEqual([])
    expect((await close(999_999)).body.code).toBe('round_not_found')
  })
})

describe('listCodingRounds', () => {
  test('lists the rounds, newest first, with the progress of each coder [spec 7.18]', async () => {
    const first = await open()
    await code(bob, 0, { add: [staff, price] })
    await code(bob, 1, { none: true })
    await close(first)
    const second = await open()
    expect((await eve.get(`${uri}rounds/`)).body.results).toEqual([
      { id: second, opened_at: expect.any(String), closed_at: null, coders: [] },
      {
        id: first,
        opened_at: expect.any(String),
        closed_at: expect.any(String),
        coders: [{ coder_uri: expect.stringMatching(new RegExp(`/${bob.actor.id}/$`)), answers: 2 }],
      },
    ])
  })
})

describe('getCodingRound', () => {
  test('computes kappa and alpha of two coders for each category [spec 7.18]', async () => {
    // Price: Ann 1 1 0 -, Bob 1 0 0 1. krippendorff 0.9.0 and scikit-learn 1.9.1: alpha 0.4444, kappa 0.4.
    const id = await open()
    await code(ann, 0, { add: [price] })
    await code(ann, 1, { add: [price, staff] })
    await code(ann, 2, { none: true })
    await code(bob, 0, { add: [price] })
    await code(bob, 1, { add: [staff] })
    await code(bob, 2, { none: true })
    await code(bob, 3, { add: [price] })
    await close(id)
    expect((await bob.get(`${uri}rounds/${id}/`)).body.agreement).toEqual([
      { category: price, answers: 3, kappa: 0.4, alpha: 0.4444 },
      { category: staff, answers: 3, kappa: 1, alpha: 1 },
    ])
  })

  test('computes alpha of three coders, and no kappa [spec 7.18]', async () => {
    const id = await open()
    for (const [coder, codes] of [
      [ann, [1, 1, 0, 0]],
      [bob, [1, 0, 0, 0]],
      [eve, [1, 1, 0]],
    ] as const)
      for (const [index, yes] of codes.entries()) await code(coder, index, yes ? { add: [staff] } : { none: true })
    await close(id)
    // krippendorff 0.9.0: 0.6667.
    expect((await ann.get(`${uri}rounds/${id}/`)).body.agreement).toEqual([
      { category: price, answers: 4, kappa: null, alpha: null },
      { category: staff, answers: 4, kappa: null, alpha: 0.6667 },
    ])
  })

  test('takes the coding of a response along when it is deleted [spec 7.18]', async () => {
    const id = await open()
    await code(ann, 0, { add: [staff] })
    await code(bob, 0, { add: [staff] })
    await ann.delete(`/api/v3/surveys/${survey}/responses/${ids[0]}/`)
    await close(id)
    expect((await ann.get(`${uri}rounds/${id}/`)).body).toMatchObject({ coders: [], agreement: [{ answers: 0 }, {}] })
  })
})
