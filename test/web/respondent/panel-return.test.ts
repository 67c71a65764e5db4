import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { SurveySettings } from '../../../src/domain/survey/settings.ts'
import { addSurvey, formAction, pageOf, single, storedResponses, submitForm } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const address = (status: string) => `https://panel.example.com/return?status=${status}&id={{ respondent_id }}`
const returned = (status: string, id: string) => `https://panel.example.com/return?status=${status}&id=${id}`
const PANEL = {
  parameter: 'pid',
  complete: address('complete'),
  screened_out: address('screened'),
  quota_full: address('full'),
}

/** Two pages: choice 1 of the first question ends the survey, and choice 0 has a quota of one response. */
const structure = (action = 'terminate') => ({
  title: 'Tea',
  form: [
    {
      ...pageOf(single('a', ['Quota', 'Screened', 'Other'])),
      skip: [{ when: { all: [{ question: 'a', op: 'eq', value: 1 }] }, to: 'terminate' }],
    },
    pageOf(single('b', ['X', 'Y'])),
  ],
  quotas: [{ name: 'one', limit: 1, action, when: { all: [{ question: 'a', op: 'eq', value: 0 }] } }],
})

/** Creates a survey with a panel. @returns its public path and the path of the panel in the API */
async function addPanelSurvey(
  form: object = structure(),
  settings: Partial<SurveySettings> = {},
  panel: object = PANEL,
) {
  const { survey, path } = await addSurvey(ann, form, settings)
  const { body } = await ann.get(`/api/v3/surveys/${survey.id}/collectors/`)
  const api = `/api/v3/collectors/${body.results[0].id}/panel-return/`
  expect((await ann.put(api, { json: panel })).status).toBe(200)
  return { survey, path, api }
}

/** Answers the pages of a survey, and follows the redirects within the service. @returns where the respondent ends */
async function answer(path: string, ...pages: Record<string, string>[]): Promise<string> {
  let reply = await world.anonymous.get(path)
  let ends = path
  for (const page of [...pages, undefined]) {
    for (let to = reply.headers.get('location'); to; to = reply.headers.get('location')) {
      ends = to
      if (/^https:/.test(to)) return to
      reply = await world.anonymous.get(to)
    }
    if (page) reply = await submitForm(world.anonymous, reply, page)
  }
  return ends
}

describe('the end of a survey for respondents of a panel [spec 5.7]', () => {
  test('redirects to the address for complete, screened out or quota full, with the ID', async () => {
    const { path, survey } = await addPanelSurvey()
    expect(await answer(`${path}?pid=A7`, { a: '0' }, { b: '0' })).toBe(returned('complete', 'A7'))
    expect(await answer(`${path}?pid=A8`, { a: '1' })).toBe(returned('screened', 'A8'))
    expect(await answer(`${path}?pid=A9`, { a: '0' })).toBe(returned('full', 'A9'))
    expect(await answer(`${path}?pid=B1&lang=en`, { a: '2' }, { b: '1' })).toBe(returned('complete', 'B1'))
    expect((await storedResponses(world, survey.id)).map(({ completed }) => completed)).toEqual([1, 2, 2, 1])
  })

  test('tells a quota that ends responses as complete from a complete response', async () => {
    const { path } = await addPanelSurvey(structure('complete'))
    expect(await answer(`${path}?pid=A7`, { a: '0' }, { b: '0' })).toBe(returned('complete', 'A7'))
    expect(await answer(`${path}?pid=A8`, { a: '0' })).toBe(returned('full', 'A8'))
    const single = await addPanelSurvey({ ...structure('complete'), form: [structure().form[0]!] })
    expect(await answer(`${single.path}?pid=A7`, { a: '0' })).toBe(returned('complete', 'A7'))
    expect(await answer(`${single.path}?pid=A8`, { a: '0' })).toBe(returned('full', 'A8'))
    expect(await answer(`${single.path}?pid=A9`, { a: '2' })).toBe(returned('complete', 'A9'))
  })

  test('redirects those who come when the response limit is reached or the survey is closed as quota full', async () => {
    const { path, survey } = await addPanelSurvey(structure(), { max_responses: 1 })
    const open = await submitForm(world.anonymous, await world.anonymous.get(`${path}?pid=A1`), { a: '2' })
    expect(await answer(`${path}?pid=A2`, { a: '2' }, { b: '0' })).toBe(returned('complete', 'A2'))
    expect(await answer(`${path}?pid=A3`)).toBe(returned('full', 'A3'))
    // The respondent who was under way submits the last page.
    expect(await answer(open.headers.get('location')!, { b: '0' })).toBe(returned('full', 'A1'))
    await ann.put(`/api/v3/surveys/${survey.id}/settings/`, { json: { max_responses: null, live: 0 } })
    expect(await answer(`${path}?pid=A4`)).toBe(returned('full', 'A4'))
    expect((await world.anonymous.get(path)).status).toBe(200)
  })

  test('redirects each time the end page is opened, and after a page that is submitted twice', async () => {
    const { path } = await addPanelSurvey()
    const first = await submitForm(world.anonymous, await world.anonymous.get(`${path}?pid=A7`), { a: '2' })
    const last = await world.anonymous.get(first.headers.get('location')!)
    const submitted = [
      await submitForm(world.anonymous, last, { b: '0' }),
      await submitForm(world.anonymous, last, { b: '0' }),
    ]
    for (const { headers } of submitted) {
      const end = headers.get('location')!
      for (const _ of [1, 2])
        expect((await world.anonymous.get(end)).headers.get('location')).toBe(returned('complete', 'A7'))
    }
  })

  test('returns the ID with which the response was started, not one that was put into a later address', async () => {
    const { path } = await addPanelSurvey()
    const first = await submitForm(world.anonymous, await world.anonymous.get(`${path}?pid=A7`), { a: '2' })
    const forged = first.headers.get('location')!.replace('pid=A7', 'pid=Z9')
    expect(forged).toContain('Z9')
    expect(await answer(forged, { b: '0' })).toBe(returned('complete', 'A7'))
  })

  test('keeps the ID of an anonymous response in addresses only', async () => {
    const { path, survey } = await addPanelSurvey(structure(), { anonymous: true })
    expect(await answer(`${path}?pid=secret-7`, { a: '2' }, { b: '0' })).toBe(returned('complete', 'secret-7'))
    expect(await answer(`${path}?pid=secret-8`, { a: '1' })).toBe(returned('screened', 'secret-8'))
    expect(JSON.stringify(await storedResponses(world, survey.id))).not.toContain('secret')
    expect((await world.anonymous.get(`${path}privacy/`)).text).toContain('panel.example.com')
  })

  test('is the end page without an ID, with one that is too long, on a shared device, or without an address', async () => {
    const { path } = await addPanelSurvey({ ...structure(), quotas: [] })
    for (const query of ['', '?pid=', `?pid=${'9'.repeat(201)}`])
      expect(await answer(path + query, { a: '2' }, { b: '0' })).toMatch(/^\/surveys\//)
    const kiosk = await addPanelSurvey(structure(), { kiosk: true })
    expect(await answer(`${kiosk.path}?pid=A7`, { a: '2' }, { b: '0' })).toMatch(/^\/surveys\//)
    const redirect_url = 'https://thanks.example.org/'
    const partly = await addPanelSurvey(structure(), { redirect_url }, { ...PANEL, screened_out: null })
    expect(await answer(`${partly.path}?pid=A7`, { a: '2' }, { b: '0' })).toBe(returned('complete', 'A7'))
    expect(await answer(`${partly.path}?pid=A7`, { a: '1' })).toBe(redirect_url)
    expect(await answer(partly.path, { a: '2' }, { b: '0' })).toBe(redirect_url)
  })

  test('lets forms redirect to the panel (Content-Security-Policy)', async () => {
    const { path } = await addPanelSurvey()
    const page = await world.anonymous.get(`${path}?pid=A7`)
    expect(page.headers.get('content-security-policy')).toMatch(/form-action 'self' http: https:/)
    expect(formAction(page)).toContain('pid=A7')
  })
})

const GUIDE = readFileSync('docs/guides/collect.md', 'utf8')
/** The program of the guide with which a panel verifies an address. */
const RECIPE = /```python\n([\s\S]*?)```/.exec(GUIDE)![1]!

/** Runs the program of the guide. */
const isGenuine = (url: string, secret: string): boolean =>
  execFileSync('python3', ['-c', `${RECIPE}\nimport sys\nprint(is_genuine(*sys.argv[1:]))`, url, secret], {
    encoding: 'utf8',
  }).trim() === 'True'

describe('the signature of a return address [spec 5.7]', () => {
  test.each([
    ['a plain ID', 'A7'],
    ['characters of addresses', 'a&signature=0#x?y=/../%2e%2e\\'],
    ['quotes, spaces and letters outside ASCII', `"it's" <é> 日本 +`],
    ['a placeholder', '{{ respondent_id }}'],
  ])('is that of the guide, for %s, and the ID arrives as it was', async (_, id) => {
    const { path, api } = await addPanelSurvey()
    const { secret } = (await ann.post(`${api}secret/`)).body
    const end = await answer(`${path}?${new URLSearchParams({ pid: id })}`, { a: '2' }, { b: '0' })
    const url = new URL(end)
    // Browsers request exactly the text that was signed.
    expect(url.href).toBe(end)
    expect([url.host, url.pathname, url.hash]).toEqual(['panel.example.com', '/return', ''])
    expect([...url.searchParams.keys()]).toEqual(['status', 'id', 'signature'])
    expect(url.searchParams.get('id')).toBe(id)
    const [signed, signature] = end.split(/&signature=(?=[0-9a-f]{64}$)/)
    expect(signature).toBe(createHmac('sha256', secret).update(signed!).digest('hex'))
    expect(isGenuine(end, secret)).toBe(true)
    expect(isGenuine(end.replace('complete', 'screened'), secret)).toBe(false)
    expect(isGenuine(end, `${secret.slice(1)}0`)).toBe(false)
  })

  test('uses the new secret after a rotation, and the parameter of the settings', async () => {
    const { path, api } = await addPanelSurvey()
    const old = (await ann.post(`${api}secret/`)).body.secret
    await ann.put(api, { json: { signature_parameter: 'hash' } })
    const { secret } = (await ann.post(`${api}secret/`)).body
    const end = (await answer(`${path}?pid=A7`, { a: '2' }, { b: '0' })).replace('&hash=', '&signature=')
    expect([isGenuine(end, secret), isGenuine(end, old)]).toEqual([true, false])
  })
})
