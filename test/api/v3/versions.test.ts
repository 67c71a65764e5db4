import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let uri: string

const choice = (labels: string[]) => ({
  idname: 'single-choice',
  id: 'q1',
  title: 'Content?',
  children: [{ type: 'single', choices: labels.map((label) => ({ label })) }],
})
const structureOf = (...children: unknown[]) => ({ title: 'Feedback', form: [{ children }] })

beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  uri = (await ann.post('/api/v3/surveys/', { form: { name: 'Feedback' } })).body.survey_uri
  const text = { idname: 'text-response', id: 'q2', title: 'Why?' }
  await ann.put(`${uri}structure/`, { json: structureOf(choice(['Yes', 'No']), text) })
  world.now = new Date('2026-01-16T12:00:00Z')
  const more = { idname: 'text-response', id: 'q3', title: 'More?' }
  await ann.put(`${uri}structure/`, { json: structureOf(choice(['Yes', 'Never', 'Maybe']), more) })
})

describe('listVersions [spec 5.10]', () => {
  test('returns version, created_at, creator, is_current and version_uri', async () => {
    const { status, body } = await ann.get(`${uri}versions/`)
    expect(status).toBe(200)
    expect(body.count).toBe(3)
    expect(body.results[2]).toEqual({
      version: 3,
      created_at: '2026-01-16T12:00:00.000Z',
      creator: `${world.base}/api/v3/users/${ann.actor.id}/`,
      is_current: true,
      version_uri: `${uri}versions/3/`,
    })
    expect(body.results.map((one: { is_current: boolean }) => one.is_current)).toEqual([false, false, true])
  })

  test('accepts page and page_size', async () => {
    const { body } = await ann.get(`${uri}versions/?page=2&page_size=2`)
    expect(body).toMatchObject({ count: 3, next: null, results: [{ version: 3 }] })
  })
})

describe('getVersion', () => {
  test('returns the structure at every version_uri', async () => {
    for (const summary of (await ann.get(`${uri}versions/`)).body.results)
      expect(await ann.get(summary.version_uri)).toMatchObject({ status: 200, body: { ...summary, structure: {} } })
    const { body } = await ann.get(`${uri}versions/2/`)
    expect(body.structure.form[0].children.map(({ id }: { id: string }) => id)).toEqual(['q1', 'q2'])
  })

  test.each(['4', '0', 'x', '99999999999', '1.5'])('returns 404 for version %s', async (version) => {
    expect((await ann.get(`${uri}versions/${version}/`)).status).toBe(404)
  })
})

describe('diffVersions [spec 5.10]', () => {
  test('returns added, removed and changed questions and choices', async () => {
    const { status, body } = await ann.get(`${uri}versions/2/diff/3/`)
    expect(status).toBe(200)
    expect(body).toEqual({
      from: 2,
      to: 3,
      questions: {
        added: [{ id: 'q3', idname: 'text-response', title: { en: 'More?' }, page: 1 }],
        removed: [{ id: 'q2', idname: 'text-response', title: { en: 'Why?' }, page: 1 }],
        changed: [],
      },
      choices: {
        added: [{ question: 'q1', index: 2, label: { en: 'Maybe' } }],
        removed: [],
        changed: [
          { question: 'q1', index: 1, changes: [{ member: 'label', from: { en: 'No' }, to: { en: 'Never' } }] },
        ],
      },
    })
  })

  test('returns no changes between a version and itself', async () => {
    const { body } = await ann.get(`${uri}versions/2/diff/2/`)
    const nothing = { added: [], removed: [], changed: [] }
    expect(body).toEqual({ from: 2, to: 2, questions: nothing, choices: nothing })
  })

  test('returns 404 for an unknown version', async () => {
    expect(await ann.get(`${uri}versions/1/diff/9/`)).toMatchObject({
      status: 404,
      body: { code: 'version_not_found' },
    })
    expect((await ann.get(`${uri}versions/9/diff/1/`)).status).toBe(404)
  })
})

describe('restoreVersion [spec 5.10]', () => {
  test('creates a new version from an earlier structure', async () => {
    const old = await ann.get(`${uri}versions/2/`)
    const reply = await ann.post(`${uri}versions/`, { form: { restore: 2 } })
    expect(reply).toMatchObject({
      status: 201,
      body: { version: 4, is_current: true, version_uri: `${uri}versions/4/` },
    })
    expect(reply.body.structure).toEqual(old.body.structure)
    expect((await ann.get(`${uri}structure/`)).body).toEqual(old.body.structure)
    expect((await ann.get(`${uri}versions/`)).body.count).toBe(4)
  })

  test.each([
    [404, { restore: 77 }],
    [400, { restore: 0 }],
    [400, { restore: 'one' }],
    [400, {}],
  ])('returns %i for %j', async (status, json) => {
    expect((await ann.post(`${uri}versions/`, { json })).status).toBe(status)
  })
})
