import { beforeAll, describe, expect, test } from '@jest/globals'
import { Report } from '../../../src/domain/report/report.ts'
import { Survey } from '../../../src/domain/survey/survey.ts'
import { addMember, makeGroup, share } from '../../support/groups.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  bob = await world.person({ username: 'bob' })
})

const question = {
  idname: 'single-choice',
  id: 'q1',
  title: { en: 'Content?', fr: 'Content ?' },
  children: [{ type: 'single', required: true, choices: [{ label: { en: 'Yes', fr: 'Oui' } }, { label: 'No' }] }],
}
const structure = {
  title: { en: 'Customer feedback', fr: 'Avis' },
  description: { en: 'Tell us', fr: 'Dites' },
  languages: [
    { code: 'en', name: 'English', isDefault: true },
    { code: 'fr', name: 'French', isDefault: false },
  ],
  showBranchingInfo: true,
  extension: { values: [1, null, 'x'] },
  form: [{ type: 'page', children: [question] }],
}
const create = async (caller: Person, json: unknown = structure) =>
  (await caller.post('/api/v2/surveys/', { json })).body

/** Returns the summary of a new survey. */
const summaryOf = (id: number, slug: string, name: string) => ({
  id,
  uri: `${world.base}/api/v2/surveys/${id}/`,
  deploy_uri: `${world.base}/surveys/ann/${slug}/`,
  name,
  status: 'live',
  created_at: '2026-01-15T12:00:00.000Z',
  updated_at: '2026-01-15T12:00:00.000Z',
  report_url: `${world.base}/account/surveys/${id}/reports/`,
  responses_url: `${world.base}/account/surveys/${id}/responses/`,
  edit_url: `${world.base}/account/surveys/${id}/edit/`,
})

describe('createSurvey', () => {
  test('returns name, uri, deploy_uri, report_url, responses_url, edit_url and id for a JSON survey structure [spec 5.5]', async () => {
    const { status, body } = await ann.post('/api/v2/surveys/', { json: structure })
    expect(status).toBe(200)
    expect(body).toEqual(summaryOf(body.id, 'customer-feedback', 'Customer feedback'))
  })

  test('accepts a structure with only a title, as a text or a language object [spec 5.5]', async () => {
    expect(await create(ann, { title: 'Plain' })).toMatchObject({ name: 'Plain' })
    const french = {
      title: { en: 'Tea', fr: 'Thé' },
      languages: [
        { code: 'fr', name: 'Français', isDefault: true },
        { code: 'en', name: 'English' },
      ],
    }
    expect(await create(ann, french)).toMatchObject({ name: 'Thé' })
  })

  test('accepts a form with a name, also without a Content-Type', async () => {
    const reply = await ann.post('/api/v2/surveys/', { form: { name: 'By form' } })
    expect(reply).toMatchObject({ status: 200, body: { name: 'By form' } })
    expect((await ann.post('/api/v2/surveys/', { multipart: { name: 'By parts' } })).body.name).toBe('By parts')
    const bytes = new TextEncoder().encode('name=By+bytes')
    expect((await ann.post('/api/v2/surveys/', { body: bytes })).body.name).toBe('By bytes')
  })

  test('creates a working survey address from a title in any script', async () => {
    const { deploy_uri } = await create(ann, { ...structure, title: 'Отзывы & “café” №5 日本' })
    expect(new URL(deploy_uri).href).toBe(deploy_uri)
    expect(await world.anonymous.get(deploy_uri)).toMatchObject({
      status: 200,
      text: expect.stringContaining('Content?'),
    })
  })

  test.each([
    ['nothing', {}],
    ['an empty title', { title: '' }],
    ['an empty name', { name: '' }],
    ['a name in no language', { name: {} }],
    ['a name that is empty in each language', { name: { en: ' ' } }],
    ['a name that is a number', { name: 7 }],
    ['pages without name and title', { form: [] }],
    ['a form that is not a list', { title: 'T', form: 7 }],
    ['two questions of one id', { title: 'T', form: [{ children: [question, question] }] }],
  ])('returns 400 with code and description for %s', async (_, json) => {
    const { status, body } = await ann.post('/api/v2/surveys/', { json })
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: expect.stringMatching(/^invalid_/), description: expect.any(String) })
  })
})

describe('getSurvey [spec 5.2]', () => {
  test('returns the summary, title, description and variables [spec 5.5]', async () => {
    const { id, uri } = await create(ann)
    const { body } = await ann.get(uri)
    const { variables, ...rest } = body
    expect(rest).toEqual({
      ...summaryOf(id, 'customer-feedback-1', 'Customer feedback'),
      responses: 0,
      creator: 'ann',
      title: 'Customer feedback',
      description: 'Tell us',
    })
    expect(variables.q1).toEqual({ type: 'single', label: 'Content?', choices: ['Yes', 'No'] })
    expect(variables._completed).toMatchObject({ type: 'single', label: expect.any(String) })
  })

  test.each(['?structure', '?structure=true', '?structure=1', '?structure=yes', '?structure=on'])(
    'returns the whole structure for %s [spec 5.5]',
    async (flag) => {
      const { uri } = await create(ann)
      const { body } = await ann.get(uri + flag)
      expect(body).toMatchObject({ title: structure.title, extension: structure.extension, showBranchingInfo: true })
      expect(Object.keys(body).slice(0, 4)).toEqual(['title', 'description', 'languages', 'showBranchingInfo'])
      expect(body.form[0].children[0]).toMatchObject({ id: 'q1', type: 'question', width: 100, title: question.title })
    },
  )

  test('returns the details for ?structure=0', async () => {
    const { uri } = await create(ann)
    expect((await ann.get(`${uri}?structure=0`)).body).toHaveProperty('variables')
  })
})

describe('listSurveys [spec 5.2]', () => {
  test('returns total and every survey visible to the account, with id, uri, deploy_uri, responses, creator and name [spec 5.5]', async () => {
    const carl = await world.person({ username: 'carl' })
    for (let n = 1; n <= 12; n++) await create(carl, { title: `Survey ${n}` })
    const { body } = await carl.get('/api/v2/surveys/')
    expect(body.total).toBe(12)
    expect(body.surveys.map(({ name }: { name: string }) => name)).toEqual(
      Array.from({ length: 12 }, (_, index) => `Survey ${index + 1}`),
    )
    expect(body.surveys[0]).toMatchObject({
      responses: 0,
      creator: 'carl',
      deploy_uri: `${world.base}/surveys/carl/survey-1/`,
    })
    expect((await bob.get('/api/v2/surveys/')).body).toEqual({ total: 0, surveys: [] })
  })
})

describe('setSurveyStatus', () => {
  test('toggles between live and closed without the parameter switch, as getSurveyStatus shows [spec 5.3, 5.5]', async () => {
    const { uri } = await create(ann)
    expect(await ann.post(`${uri}status/`)).toMatchObject({ status: 200, body: { status: 'closed' } })
    expect((await ann.get(`${uri}status/`)).body).toEqual({ status: 'closed' })
    expect((await ann.post(`${uri}status/`)).body).toEqual({ status: 'live' })
  })

  test('sets the status given in switch, whatever the current one [spec 5.3]', async () => {
    const { id, uri } = await create(ann)
    for (const status of ['closed', 'closed', 'live', 'live', 'closed'])
      expect((await ann.post(`${uri}status/?switch=${status}`)).body).toEqual({ status })
    expect((await ann.get(`/api/v3/surveys/${id}/`)).body.live).toBe(0)
  })

  test('returns 400 for any other switch', async () => {
    const { uri } = await create(ann)
    for (const word of ['open', 'LIVE', '', '1'])
      expect(await ann.post(`${uri}status/?switch=${word}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      })
    expect((await ann.get(`${uri}status/`)).body).toEqual({ status: 'live' })
  })

  test('keeps the status after an even number of concurrent toggles', async () => {
    const { uri } = await create(ann)
    const replies = await Promise.all(Array.from({ length: 8 }, () => ann.post(`${uri}status/`)))
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect((await ann.get(`${uri}status/`)).body).toEqual({ status: 'live' })
  })
})

describe('duplicateSurvey', () => {
  test('accepts a name in a form, returns the summary of the copy, and copies the structure and the reports', async () => {
    const { id, uri } = await create(ann)
    const em = world.em()
    em.create(Report, { survey: em.getReference(Survey, id), title: 'Monthly', createdAt: world.now })
    await em.flush()
    const { status, body } = await ann.post(`${uri}duplicate/`, { form: { name: 'Second wave' } })
    expect(status).toBe(200)
    expect(body).toEqual(summaryOf(body.id, 'second-wave', 'Second wave'))
    expect((await ann.get(`${body.uri}?structure`)).text).toBe((await ann.get(`${uri}?structure`)).text)
    expect(await em.find(Report, { survey: body.id })).toMatchObject([{ title: 'Monthly' }])
  })

  test('copies no reports for a member without the role Analyze, because the filters of a report can contain answers', async () => {
    const { id, uri } = await create(ann)
    const group = await makeGroup(ann)
    await share(ann, id, group)
    for (const roles of ['edit', 'edit analyze']) {
      const member = await world.person()
      const em = world.em()
      em.create(Report, { survey: em.getReference(Survey, id), title: `Fire list ${roles}`, createdAt: world.now })
      await em.flush()
      await addMember(ann, group, member, roles)
      const { status, body } = await member.post(`${uri}duplicate/`)
      expect(status).toBe(200)
      expect(await em.count(Report, { survey: body.id })).toBe(roles === 'edit' ? 0 : 2)
    }
  })
})

describe('renameSurvey', () => {
  test('accepts a name in a form and keeps the address', async () => {
    const { uri, deploy_uri } = await create(ann)
    const reply = await ann.post(`${uri}rename/`, { form: { name: 'Another' } })
    expect(reply).toMatchObject({ status: 200, body: { name: 'Another', uri, deploy_uri } })
    expect((await ann.post(`${uri}rename/`)).status).toBe(400)
    expect((await ann.get(uri)).body).toMatchObject({ name: 'Another', title: 'Customer feedback' })
  })
})

describe('deleteSurvey', () => {
  test('returns success true, after which the survey is not found', async () => {
    const { uri } = await create(ann)
    expect(await ann.delete(uri)).toMatchObject({ status: 200, body: { success: true } })
    expect(await ann.get(uri)).toMatchObject({
      status: 404,
      body: { code: 'survey_not_found', description: expect.any(String) },
    })
  })
})

describe('warnings of createSurvey', () => {
  test('keeps a misspelt member and names it in a warning, and omits warnings otherwise', async () => {
    const misspelt = { ...structure, form: [{ type: 'page', children: [{ ...question, descripton: 'x' }] }] }
    const { warnings } = await create(ann, misspelt)
    expect(warnings).toEqual([
      {
        pointer: '/form/0/children/0/descripton',
        code: 'unknown_member',
        message: '“descripton” has no effect. Did you mean “description”?',
      },
    ])
    expect(await create(ann)).not.toHaveProperty('warnings')
  })
})
