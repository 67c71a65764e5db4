import { describe, expect, test } from '@jest/globals'
import { shareWith } from '../support/groups.ts'
import { unescapeHtml } from '../support/html.ts'
import { signInAs } from '../support/http-browser.ts'
import { useReceiver } from '../support/receiver.ts'
import { respond } from '../support/respondents.ts'
import { addSurvey } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'
import { FULL_ANSWERS, signInOwner, signInToReports, XSS_TEXT } from './survey-owner.ts'

const world = useWorld()
const receiver = useReceiver()

const REPORT = { title: 'Rye', scope: 'all', query: 'bread=0', incomplete: 'on' }
const headings = (text: string) =>
  [...text.matchAll(/<h2 id="question-\d+" lang="\w+">([^<]*)</g)].map(([, title]) => title)

describe('the report “All answers”', () => {
  test('shows every question with its chart, text alternative and data', async () => {
    const { browser, root } = await signInToReports(world)
    const { status, text } = await browser.get(`${root}all/?_completed>=0`)
    expect(status).toBe(200)
    expect(text).toContain('>11 responses</h2>')
    expect(text).toContain('6 complete, 5 incomplete')
    expect(headings(text)).toHaveLength(14)
    expect(text).toContain(
      'aria-label="Bar chart of “Which bread do you eat most?”. Rye: 36.4%, 4; Wheat: 27.3%, 3; Another one: 36.4%, 4."',
    )
    expect(text).toContain('<p>Pumpernickel</p>')
    expect(text).toContain('Mean ranks of “Put in order, best first”. Tea: 1; Coffee: 2; Juice: 3.')
    expect(text).not.toMatch(/ style="/)
  })

  test('can be shown in another language of the survey', async () => {
    const { browser, root } = await signInToReports(world)
    const { text } = await browser.get(`${root}all/?view-language=fr`)
    expect(headings(text)).toContain('Quel pain mangez-vous le plus ?')
    expect(text).toContain('bread=0&amp;view-language=fr')
  })

  test('name the days of the responses as the language of the page does', async () => {
    const { browser, root } = await signInToReports(world)
    const { text } = await browser.get(`${root}all/`, { 'accept-language': 'de' })
    expect(text).toMatch(/(?:Am|Von) <span class="nowrap">\d{1,2}\. \p{L}+\.? 20\d\d<\/span>/u)
  })

  test('explains how to collect responses while the survey has no responses', async () => {
    const { browser, id } = await signInOwner(world)
    const path = `/account/surveys/${id}/reports/all/`
    expect((await browser.get(path)).text).toContain('Charts appear after the first response.')
    await browser.post(`/account/surveys/${id}/live/`)
    expect((await browser.get(path)).text).toContain('The survey is closed')
    await respond(world, id, { answers: FULL_ANSWERS })
    expect((await browser.get(path)).text).toContain('1 complete · survey closed')
  })

  test('draws the responses by day from the third day on', async () => {
    const { browser, person } = await signInOwner(world)
    const { survey } = await addSurvey(person, { title: 'Tea', form: [] })
    const drawn: boolean[] = []
    for (const day of ['2026-01-10', '2026-01-11', '2026-01-12']) {
      await respond(world, survey.id, { createdAt: `${day}T10:00:00Z` })
      const { text } = await browser.get(`/account/surveys/${survey.id}/reports/all/`)
      drawn.push(text.includes('Line chart of “Responses by day”'))
    }
    expect(drawn).toEqual([false, false, true])
  })

  test('escapes markup in answers and labels on the page and in files', async () => {
    const { browser, person } = await signInOwner(world)
    const structure = {
      title: XSS_TEXT,
      form: [
        {
          type: 'page',
          children: [
            {
              idname: 'single-choice',
              id: XSS_TEXT,
              title: XSS_TEXT,
              children: [{ type: 'single', choices: [{ label: XSS_TEXT }] }],
            },
            { idname: 'text-response', id: 't', title: '=1+1', children: [{ type: 'string' }] },
          ],
        },
      ],
    }
    const { survey } = await addSurvey(person, structure)
    await respond(world, survey.id, { answers: { [XSS_TEXT]: 0, t: XSS_TEXT } })
    const root = `/account/surveys/${survey.id}/reports/all/`
    const page = await browser.get(root)
    const parts = [...page.text.matchAll(/href="([^"]*(?:chart\.svg|numbers\.csv))"/g)].map(([, path]) =>
      unescapeHtml(path!),
    )
    expect(parts.length).toBeGreaterThan(2)
    for (const { text, status } of [page, await browser.get(parts.find((path) => path.includes('charts'))!)]) {
      expect(status).toBe(200)
      expect(text).not.toMatch(/<script>|<img src=x/)
    }
    expect((await browser.get(`${root}numbers.csv`)).text).toContain(`,'=1+1,`)
  })

  test('uses the singular for one response and one answer in files', async () => {
    const { browser, id } = await signInOwner(world)
    await respond(world, id, { answers: FULL_ANSWERS })
    const root = `/account/surveys/${id}/reports/`
    expect((await browser.get(`${root}all/days/chart.svg`)).text).toContain('>1 response</text>')
    expect((await browser.get(`${root}all/charts/bread/chart.svg`)).text).toContain('>1 answer</text>')
  })
})

describe('a report', () => {
  test('is created with questions, charts and a filter, sends a webhook, and matches the API', async () => {
    const { browser, root, person, id } = await signInToReports(world)
    await person.post('/api/v3/webhooks/', {
      json: { subscription_url: receiver.url('/report-created'), event: 'report_create' },
    })
    const form = await browser.get(`${root}new/?filter=completed&bread=0`)
    expect(form.text).toContain('name="query" value="bread=0&amp;_completed=1" checked')
    await browser.post(`${root}new/`, { ...REPORT, scope: 'some', question: 'bread', 'chart bread': 'columns' })
    await world.runJobs()
    const [summary] = (await person.get(`/api/v3/surveys/${id}/reports/`)).body.results
    expect(new Map(receiver.received('/report-created')[0]!.form).get('report_url')).toBe(summary.report_url)
    const path = new URL(summary.report_url).pathname
    const { text } = await browser.get(path)
    expect(text).toContain('Report created.')
    expect(headings(text)).toEqual(['Which bread do you eat most?'])
    expect(text).toContain('Histogram of')
    expect(text).toContain('>4 responses</h2>')
    const { body } = await person.get(summary.report_uri)
    expect(body).toMatchObject({ responses: { total: 4 }, questions: [{ id: 'bread', answered: 4 }] })
    expect((await browser.get(`${path}charts/nps/chart.svg`)).status).toBe(404)
    expect((await browser.get(`${path}texts/name/`)).status).toBe(404)
  })

  test('is edited and deleted, and shows an invalid form with its errors', async () => {
    const { browser, root } = await signInToReports(world)
    await browser.get(root)
    const withoutTitle = await browser.post(`${root}new/`, { title: '', scope: 'some' })
    expect(withoutTitle.status).toBe(422)
    expect(withoutTitle.text).toContain('id="title-error"')
    const { to } = await browser.post(`${root}new/`, REPORT)
    const withoutQuestions = await browser.post(`${to}edit/`, { ...REPORT, scope: 'some' })
    expect(withoutQuestions.status).toBe(422)
    expect(withoutQuestions.text).toContain('Questions must contain at least one question')
    expect((await browser.post(`${to}edit/`, { title: 'All responses', scope: 'all', incomplete: 'on' })).to).toBe(to)
    const { text } = await browser.get(to!)
    expect(text).toContain('<h1>All responses</h1>')
    expect(text).toContain('>11 responses</h2>')
    expect((await browser.get(`${to}delete/`)).text).toContain('Delete “All responses”?')
    expect((await browser.post(`${to}delete/`)).to).toBe(root)
    expect((await browser.get(to!)).status).toBe(404)
  })

  test('lists twenty text answers per page, newest first, with a case-insensitive search', async () => {
    const { browser, root, id } = await signInToReports(world)
    for (let n = 0; n < 25; n += 1) await respond(world, id, { answers: { mail: `a${n}@Example.org` } })
    const texts = (text: string) => [...text.matchAll(/<li><p>([^<]*)<\/p>/g)].map(([, value]) => value)
    const first = await browser.get(`${root}all/texts/mail/?_completed=1`)
    expect(texts(first.text)).toHaveLength(20)
    expect(texts(first.text)[0]).toBe('a24@Example.org')
    const next = unescapeHtml(/<a href="([^"]*)" rel="next"/.exec(first.text)![1]!)
    expect(texts((await browser.get(next)).text)).toEqual(
      ['a4', 'a3', 'a2', 'a1', 'a0'].map((name) => `${name}@Example.org`).concat('ann@example.org'),
    )
    const matches = await browser.get(`${root}all/texts/mail/?view-base=_completed%3D1&view-words=A1%40EXAMPLE`)
    expect(texts(matches.text)).toEqual(['a1@Example.org'])
    expect((await browser.get(`${root}all/texts/bread/`)).status).toBe(404)
  })

  test('offers charts and data as files with a name', async () => {
    const { browser, root } = await signInToReports(world)
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

describe('the reports pages', () => {
  test('return 404 without a role on the survey, and 403 without Analyze', async () => {
    const { browser, root, person, id } = await signInToReports(world)
    const member = await world.person()
    const other = await signInAs(member)
    await browser.get(root)
    const { to } = await browser.post(`${root}new/`, REPORT)
    const pages = ['', 'all/', 'all/numbers.csv', 'all/days/', 'all/texts/name/'].map((page) => root + page)
    for (const page of [...pages, to!, `${to}edit/`]) expect((await other.get(page)).status).toBe(404)
    await shareWith(person, id, member, 'Edit')
    for (const page of [...pages, to!, `${to}edit/`])
      expect([page, (await other.get(page)).status]).toEqual([page, 403])
    expect((await other.get(`/account/surveys/${id}/`)).text).not.toContain('reports/')
    const otherOwner = await signInOwner(world)
    expect((await otherOwner.browser.get(to!.replace(`/${id}/`, `/${otherOwner.id}/`))).status).toBe(404)
  })
})
