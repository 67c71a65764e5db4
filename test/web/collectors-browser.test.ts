import { beforeAll, describe, expect, test } from '@jest/globals'
import { addMember, makeGroup, share } from '../support/groups.ts'
import { type HttpBrowser, signInAs } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { makeSurvey, TWO_PAGES } from '../support/responses.ts'
import { onEveryScreen } from '../support/screens.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
let browser: HttpBrowser
let id: number
let root: string

beforeAll(async () => {
  ann = await world.person()
  browser = await signInAs(ann)
  id = await makeSurvey(ann, TWO_PAGES)
  root = `/account/surveys/${id}/collectors/`
})

/** Creates a collector on the page. @returns its ID */
async function createCollector(name: string): Promise<number> {
  const { status, to } = await browser.post(root, { name })
  expect(status).toBe(303)
  return Number(/collectors\/(\d+)\//.exec(to!)![1])
}

describe('the collectors page', () => {
  test('creates, renames, closes, reopens and deletes a collector', async () => {
    const poster = await createCollector('Poster & flyer')
    const path = `${root}${poster}/`
    const page = await browser.get(path)
    expect(page.text).toContain('Collector “Poster &amp; flyer” created. Copy its link below.')
    expect(page.text).toContain(`?collector=${poster}"`)
    expect((await browser.post(path, { name: ' ' })).status).toBe(422)
    await browser.post(path, { name: 'Flyer' })
    await browser.post(`${path}live/`, { live: '0' })
    const list = await browser.get(root)
    expect(list.text).toMatch(/>Flyer<\/a>[\s\S]*?>Closed</)
    const link = `/surveys/${ann.actor.username}/${(await ann.get(`/api/v3/surveys/${id}/`)).body.slug}/?collector=${poster}`
    expect((await world.anonymous.get(link)).text).toContain('This survey is not available')
    await browser.post(`${path}live/`, { live: '1' })
    expect((await world.anonymous.get(link)).text).not.toContain('This survey is not available')
    expect((await browser.get(`${path}delete/`)).text).toContain('Delete the collector “Flyer”?')
    await browser.post(`${path}delete/`)
    expect((await browser.get(root)).text).not.toContain('>Flyer</a>')
    expect((await browser.get(path)).status).toBe(404)
  })

  test('counts the responses of each collector by state, and does not offer to delete one with responses', async () => {
    const fair = await createCollector('Fair')
    await respond(world, id, { collectorId: fair })
    await respond(world, id, { collectorId: fair, completed: 0 })
    await respond(world, id, { collectorId: fair, completed: 2 })
    const counts = 'Responses: 3 – 1 complete, 1 incomplete, 1 screened out'
    expect((await browser.get(root)).text).toContain(counts)
    const { text } = await browser.get(`${root}${fair}/`)
    expect(text).toContain(counts)
    expect(text).not.toContain('Delete collector…')
    expect((await browser.post(`${root}${fair}/delete/`)).status).toBe(409)
    const { text: responses } = await browser.get(`/account/surveys/${id}/responses/?_collector=${fair}`)
    expect(responses).toContain('3 responses')
  })

  test('sends the QR code of the link of a collector as SVG and PNG', async () => {
    const badge = await createCollector('Badge')
    const svg = await browser.get(`${root}${badge}/image/qr-code.svg`)
    expect([svg.status, svg.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    const png = await browser.get(`${root}${badge}/image/qr-code.png?download`)
    expect(png.headers.get('content-disposition')).toContain(`-${badge}-qr-code.png`)
    expect((await browser.get(`${root}${badge}/image/other.gif`)).status).toBe(404)
  })

  test('is for those who may publish links: the totals without states, and 404 for a collector of another survey', async () => {
    const ben = await world.person()
    const group = await makeGroup(ann, 'Field')
    await addMember(ann, group, ben, 'Deploy')
    await share(ann, id, group)
    const his = await signInAs(ben)
    const { status, text } = await his.get(root)
    expect(status).toBe(200)
    expect(text).toContain('Responses: 3<')
    expect(text).not.toContain('screened out')
    await addMember(ann, group, ben, 'Analyze')
    expect((await his.get(root)).status).toBe(403)
    const other = await makeSurvey(ann, TWO_PAGES)
    const { body } = await ann.get(`/api/v3/surveys/${other}/collectors/`)
    for (const path of ['', 'delete/', 'image/qr-code.svg'])
      expect((await browser.get(`${root}${body.results[0].id}/${path}`)).status).toBe(404)
    for (const path of ['', 'live/', 'delete/'])
      expect((await browser.post(`${root}${body.results[0].id}/${path}`, { name: 'Mine' })).status).toBe(404)
  })
})

describe('the page of the return links of a panel', () => {
  test('saves the addresses, names the errors, shows a new secret once, and removes the panel', async () => {
    const panel = await createCollector('Panel')
    const path = `${root}${panel}/panel/`
    expect((await browser.get(path)).text).not.toContain('Create secret')
    const wrong = await browser.post(path, { parameter: 'code', complete: 'http://panel.example.com/' })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('must start with https://')
    expect(wrong.text).toContain('not a parameter of survey addresses')
    const complete = 'https://panel.example.com/?id={{ respondent_id }}'
    expect((await browser.post(path, { parameter: 'pid', complete })).status).toBe(303)
    const saved = await browser.get(path)
    expect(saved.text).toContain(`?collector=${panel}&amp;pid=`)
    expect(saved.text).toContain('The addresses are not signed')
    const shown = await browser.post(`${path}secret/`)
    expect(shown.status).toBe(200)
    const [secret] = /[0-9a-f]{64}(?=<\/code>)/.exec(shown.text)!
    const later = await browser.get(path)
    expect(later.text).toContain('The addresses are signed')
    expect(later.text).not.toContain(secret)
    await browser.post(`${path}delete/`)
    expect((await ann.get(`/api/v3/collectors/${panel}/panel-return/`)).body).toMatchObject({
      ...{ parameter: null, complete: null, signed: false },
    })
  })
})

describe('filters by collector', () => {
  test('apply to lists, exports, reports and cross-tables, in the API and on the pages', async () => {
    const survey = await makeSurvey(ann, {
      title: 'Drinks',
      form: [
        {
          children: ['first', 'second'].map((name) => ({
            ...{ idname: 'single-choice', id: name, title: name },
            children: [{ choices: [{ label: 'Tea' }, { label: 'Coffee' }] }],
          })),
        },
      ],
    })
    const api = `/api/v3/surveys/${survey}/`
    const { body: club } = await ann.post(`${api}collectors/`, { json: { name: 'Club' } })
    for (const [collector, count] of [
      [undefined, 3],
      [club.id, 2],
    ])
      for (let each = 0; each < count; each += 1)
        await ann.post(`${api}responses/`, {
          json: { first: 0, second: 1, _completed: 1, ...(collector && { _collector: collector }) },
        })
    const query = `?_collector=${club.id}`
    expect((await ann.get(`${api}responses/${query}`)).body.count).toBe(2)
    expect((await ann.get(`${api}csv/${query}`)).text.trim().split('\r\n')).toHaveLength(3)
    expect((await ann.get(`${api}cross-table/${query}&rows=first&columns=second`)).body.n).toBe(2)
    const report = (await ann.post(`${api}reports/`, { json: { title: 'Club', query: `_collector=${club.id}` } })).body
    expect((await ann.get(`${api}reports/${report.id}/`)).body.responses.total).toBe(2)
    const pages = `/account/surveys/${survey}/`
    for (const path of [
      `responses/${query}`,
      `responses/download/${query}`,
      `reports/${report.id}/`,
      `reports/${report.id}/cross-table/?view-rows=first&view-columns=second`,
    ]) {
      const { status, text } = await browser.get(pages + path)
      const shown = text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
      const counts = /\b2 (?:of 5|(?:complete )?responses)\b/.test(shown)
      expect({ path, status, counts, names: shown.includes('Club') }).toEqual({
        ...{ path, status: 200 },
        ...{ counts: true, names: true },
      })
    }
  })
})

onEveryScreen('the collectors pages', 'have no accessibility violations', async ({ page, expectClean, signIn }) => {
  await page.goto(world.base + root)
  await signIn(ann)
  await page.getByRole('heading', { name: 'New collector' }).waitFor()
  await expectClean('collectors')
  await page.getByRole('link', { name: 'Fair' }).click()
  await page.getByRole('button', { name: 'Close collector' }).waitFor()
  await expectClean('collector')
  await page.getByRole('link', { name: 'Return links for a panel' }).click()
  await page.getByLabel('Parameter with the respondent’s ID').fill('pid')
  await page.getByLabel('Address after a complete response').fill('https://panel.example.com/?id={{ respondent_id }}')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: /(Create|Replace) secret/ }).click()
  await page.getByRole('heading', { name: 'Your new secret' }).waitFor()
  await expectClean('panel-return')
})
