import { describe, expect, test } from '@jest/globals'
import { Visitor } from '../support/http-browser.ts'
import { useReceiver } from '../support/receiver.ts'
import { respond } from '../support/respondents.ts'
import { surveyOf } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'
import { analyst, FULL, HARM, reportsPage } from './survey-owner.ts'

const world = useWorld()
const receiver = useReceiver()

const DRAFT = { title: 'Rye', scope: 'all', query: 'bread=0', incomplete: 'on' }
const headings = (text: string) =>
  [...text.matchAll(/<h2 id="question-\d+" lang="\w+">([^<]*)</g)].map(([, title]) => title)

describe('the report “All answers”', () => {
  test('shows every question with its chart, text alternative and data', async () => {
    const { browser, root } = await reportsPage(world)
    const { status, text } = await browser.get(`${root}all/?_completed>=0`)
    expect(status).toBe(200)
    expect(text).toContain('>11 responses</h2>')
    expect(text).toContain('6 complete, 5 incomplete')
    expect(headings(text)).toHaveLength(14)
    expect(text).toContain(
      'aria-label="Bar chart of “Which bread do you eat most?”. Rye: 36.4\u00a0%, 4; Wheat: 27.3\u00a0%, 3; Another one: 36.4\u00a0%, 4."',
    )
    expect(text).toContain('<p>Pumpernickel</p>')
    expect(text).toContain('Mean ranks of “Put in order, best first”. Tea: 1; Coffee: 2; Juice: 3.')
    expect(text).not.toMatch(/ style="/)
  })

  test('can be shown in another language of the survey', async () => {
    const { browser, root } = await reportsPage(world)
    const { text } = await browser.get(`${root}all/?view-language=fr`)
    expect(headings(text)).toContain('Quel pain mangez-vous le plus ?')
    expect(text).toContain('view-language=fr&amp;bread=0'.split('&amp;').reverse().join('&amp;'))
  })

  test('explains how to collect responses while there are none', async () => {
    const { browser, id } = await analyst(world)
    const path = `/account/surveys/${id}/reports/all/`
    expect((await browser.get(path)).text).toContain('Charts appear after the first response.')
    await browser.post(`/account/surveys/${id}/live/`)
    expect((await browser.get(path)).text).toContain('The survey is closed')
    await respond(world, id, { answers: FULL })
    expect((await browser.get(path)).text).toContain('1 complete · survey closed')
  })

  test('escapes markup in answers and labels on the page and in files', async () => {
    const { browser, person } = await analyst(world)
    const structure = {
      title: HARM,
      form: [
        {
          type: 'page',
          children: [
            {
              idname: 'single-choice',
              id: HARM,
              title: HARM,
              children: [{ type: 'single', choices: [{ label: HARM }] }],
            },
            { idname: 'text-response', id: 't', title: '=1+1', children: [{ type: 'string' }] },
          ],
        },
      ],
    }
    const { survey } = await surveyOf(world, person, structure)
    await respond(world, survey.id, { answers: { [HARM]: 0, t: HARM } })
    const root = `/account/surveys/${survey.id}/reports/all/`
    const page = await browser.get(root)
    const parts = [...page.text.matchAll(/href="([^"]*(?:chart\.svg|numbers\.csv))"/g)].map(([, path]) =>
      path!.replaceAll('&#39;', "'"),
    )
    expect(parts.length).toBeGreaterThan(3)
    for (const { text, status } of [page, await browser.get(parts.find((path) => path.includes('charts'))!)]) {
      expect(status).toBe(200)
      expect(text).not.toMatch(/<script>|<img/)
    }
    expect((await browser.get(`${root}numbers.csv`)).text).toContain(`,'=1+1,`)
  })
})

describe('a report', () => {
  test('is created with questions, charts and a filter, sends a webhook, and matches the API', async () => {
    const { browser, root, person, id } = await reportsPage(world)
    await person.post('/api/v3/webhooks/', {
      json: { subscription_url: receiver.url('/made'), event: 'report_create' },
    })
    const form = await browser.get(`${root}new/?filter=completed&bread=0`)
    expect(form.text).toContain('name="query" value="bread=0&amp;_completed=1" checked')
    await browser.post(`${root}new/`, { ...DRAFT, scope: 'some', question: 'bread', 'chart bread': 'columns' })
    await world.runJobs()
    const [list] = (await person.get(`/api/v3/surveys/${id}/reports/`)).body.results
    expect(new Map(receiver.received('/made')[0]!.form).get('report_url')).toBe(list.report_url)
    const path = new URL(list.report_url).pathname
    const { text } = await browser.get(path)
    expect(text).toContain('Report created.')
    expect(headings(text)).toEqual(['Which bread do you eat most?'])
    expect(text).toContain('Histogram of')
    expect(text).toContain('>4 responses</h2>')
    const { body } = await person.get(list.report_uri)
    expect(body).toMatchObject({ responses: { total: 4 }, questions: [{ id: 'bread', answered: 4 }] })
    expect((await browser.get(`${path}charts/nps/chart.svg`)).status).toBe(404)
    expect((await browser.get(`${path}texts/name/`)).status).toBe(404)
  })

  test('is edited and deleted; an invalid form is shown again with its errors', async () => {
    const { browser, root } = await reportsPage(world)
    await browser.get(root)
    const refused = await browser.post(`${root}new/`, { title: '', scope: 'some' })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('id="title-error"')
    const { to } = await browser.post(`${root}new/`, DRAFT)
    const wrong = await browser.post(`${to}edit/`, { ...DRAFT, scope: 'some' })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('Questions must contain at least one question')
    expect((await browser.post(`${to}edit/`, { title: 'Everybody', scope: 'all', incomplete: 'on' })).to).toBe(to)
    const { text } = await browser.get(to!)
    expect(text).toContain('<h1>Everybody</h1>')
    expect(text).toContain('>11 responses</h2>')
    expect((await browser.get(`${to}delete/`)).text).toContain('Delete “Everybody”?')
    expect((await browser.post(`${to}delete/`)).to).toBe(root)
    expect((await browser.get(to!)).status).toBe(404)
  })

  test('lists text answers twenty at a time, the newest first, with a case-insensitive search', async () => {
    const { browser, root, id } = await reportsPage(world)
    for (let n = 0; n < 25; n += 1) await respond(world, id, { answers: { mail: `a${n}@Example.org` } })
    const texts = (text: string) => [...text.matchAll(/<li><p>([^<]*)<\/p>/g)].map(([, value]) => value)
    const first = await browser.get(`${root}all/texts/mail/?_completed=1`)
    expect(texts(first.text)).toHaveLength(20)
    expect(texts(first.text)[0]).toBe('a24@Example.org')
    const next = /<a href="([^"]*)" rel="next"/.exec(first.text)![1]!.replaceAll('&amp;', '&')
    expect(texts((await browser.get(next)).text)).toEqual(
      ['a4', 'a3', 'a2', 'a1', 'a0'].map((name) => `${name}@Example.org`).concat('ann@example.org'),
    )
    const found = await browser.get(`${root}all/texts/mail/?view-base=_completed%3D1&view-words=A1%40EXAMPLE`)
    expect(texts(found.text)).toEqual(['a1@Example.org'])
    expect((await browser.get(`${root}all/texts/bread/`)).status).toBe(404)
  })

  test('offers its charts and data as named files', async () => {
    const { browser, root } = await reportsPage(world)
    for (const [path, type, name] of [
      ['charts/bread/chart.svg', 'image/svg+xml', 'Which-bread-do-you-eat-most.svg'],
      ['charts/nps/chart.png', 'image/png', 'Would-you-recommend-breakfast-to-a-friend.png'],
      ['charts/grid/numbers.csv', 'text/csv', 'How-often.csv'],
      ['days/chart.svg', 'image/svg+xml', 'Responses-by-day.svg'],
      ['numbers.csv', 'text/csv', 'All-answers.csv'],
    ]) {
      const { status, headers } = await browser.get(`${root}all/${path}`)
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, expect.stringContaining(type!)])
      expect(headers.get('content-disposition')).toBe(`attachment; filename="${name}"`)
    }
    for (const path of ['charts/name/chart.svg', 'charts/gone/chart.svg', 'charts/bread/chart.gif', 'days/x'])
      expect((await browser.get(`${root}all/${path}`)).status).toBe(404)
  })
})

test('reports return 403 without the role and 404 to strangers', async () => {
  const { browser, root, person, id } = await reportsPage(world)
  const stranger = await world.person()
  const other = new Visitor(world.base)
  await other.signIn(stranger.actor.username, stranger.password)
  await browser.get(root)
  const { to } = await browser.post(`${root}new/`, DRAFT)
  const paths = [
    root,
    `${root}all/`,
    to!,
    `${to}edit/`,
    `${root}all/numbers.csv`,
    `${root}all/days/`,
    `${root}all/texts/name/`,
  ]
  for (const path of paths) expect((await other.get(path)).status).toBe(404)
  const { body } = await person.post('/api/v2/groups/', { json: { name: 'Testers' } })
  await person.put(`/api/v2/groups/${body.id}/members/`, { json: { email: stranger.actor.email, roles: 'Edit' } })
  await person.put(`/api/v3/surveys/${id}/groups/`, { json: { group: body.id } })
  for (const path of paths) expect([path, (await other.get(path)).status]).toEqual([path, 403])
  expect((await other.get(`/account/surveys/${id}/`)).text).not.toContain('reports/')
  const mine = await analyst(world)
  const elsewhere = to!.replace(`/${id}/`, `/${mine.id}/`)
  expect((await mine.browser.get(elsewhere)).status).toBe(404)
})
