import { describe, expect, test } from '@jest/globals'
import { languages } from '../../src/domain/text/catalog.ts'
import { useWorld } from '../support/world.ts'
import { signInOwner } from './survey-owner.ts'

const world = useWorld()

const headingOf = (text: string) => />([^<]+)<\/h1>/.exec(text)?.[1]

describe('an unknown path', () => {
  test.each(['/nothing/here/', '/account/nothing/', '/accounts/nothing/', '/docs/v9/'])(
    '%s returns an error page with a link to the home page',
    async (path) => {
      const { status, headers, text } = await world.anonymous.get(path)
      expect([status, headers.get('content-type'), headingOf(text)]).toEqual([
        404,
        'text/html; charset=utf-8',
        'Page not found',
      ])
      expect(text).toContain('<a class="button" href="/">Go to the home page</a>')
    },
  )

  test.each([
    ['/account/nothing/', '/account/', 'Your account'],
    ['/account/contacts/x/y/z/', '/account/contacts/', 'Your contacts'],
    ['/account/keys/x/y/', '/account/keys/', 'Your API keys'],
  ])('%s: a signed-in user gets an error page with navigation and a link back', async (path, root, label) => {
    const { browser, person } = await signInOwner(world)
    const { status, headers, text } = await browser.get(path)
    expect([status, headingOf(text)]).toEqual([404, 'Page not found'])
    expect(text).toContain(`<a class="button" href="${root}">${label}</a>`)
    expect(text).toMatch(new RegExp(`<li><a href="${root}" aria-current="(page|true)">`))
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect((await browser.post('/accounts/logout/')).status).toBe(303)
    expect((await person.get('/api/v3/')).status).toBe(200)
  })

  test('shows respondents and readers of shared reports an error page that has no links to account pages', async () => {
    const headers = { 'accept-language': 'fr' }
    const survey = await world.anonymous.get('/surveys/a/b/c/d/', { headers })
    expect([survey.status, headingOf(survey.text)]).toEqual([404, languages.fr!.surveyNotFoundTitle])
    const unsubscribe = await world.anonymous.get('/unsubscribe/1-no/?lang=de', { headers })
    expect([unsubscribe.status, headingOf(unsubscribe.text)]).toEqual([404, languages.de!.pageNotFoundTitle])
    const report = await world.anonymous.get('/reports/nothing/')
    expect([report.status, headingOf(report.text)]).toEqual([404, 'Page not found'])
    expect(report.text).not.toContain('href="/"')
  })

  test('returns a problem document below /api/v3/, and plain text to other programs', async () => {
    const api = await world.anonymous.get('/api/v3/nothing/')
    expect([api.status, api.headers.get('content-type')]).toEqual([404, 'application/problem+json; charset=utf-8'])
    for (const path of ['/api/nothing/', '/assets/nothing.js'])
      expect([path, (await world.anonymous.get(path)).text]).toEqual([path, 'Not Found'])
    const json = await world.anonymous.get('/nothing/', { headers: { accept: 'application/json' } })
    expect([json.status, json.text]).toEqual([404, 'Not Found'])
  })
})

describe('a path requested with an unsupported method', () => {
  test('returns 405 with the allowed methods and states that nothing was changed', async () => {
    const { browser, id } = await signInOwner(world)
    const opened = await browser.get(`/account/surveys/${id}/live/`)
    expect([opened.status, opened.headers.get('allow'), headingOf(opened.text)]).toEqual([
      405,
      'POST',
      'Page cannot be opened',
    ])
    expect(opened.text).toContain('only accepts submitted forms')
    const submitted = await browser.post('/account/surveys/')
    expect([submitted.status, submitted.headers.get('allow')]).toEqual([405, 'HEAD, GET'])
    expect(submitted.text).toContain('This address does not accept forms')
    expect((await world.anonymous.put('/accounts/login/')).status).toBe(405)
    expect((await world.anonymous.delete('/surveys/a/b/')).status).toBe(405)
  })
})

describe('an error page', () => {
  test('links back to the referring page if that page belongs to this site', async () => {
    const { browser } = await signInOwner(world)
    const path = '/account/surveys/999999/'
    const missing = (headers = {}) => browser.get(path, headers).then(({ text }) => text)
    expect(await missing()).toContain('<a class="button" href="/account/surveys/">Your surveys</a>')
    const referer = `${world.base}/account/groups/?page=2`
    expect(await missing({ referer })).toContain('<a class="button" href="/account/groups/?page=2">Back</a>')
    for (const other of ['https://evil.example/account/', `${world.base}${path}`, 'nonsense'])
      expect(await missing({ referer: other })).toContain('>Your surveys</a>')
  })

  test('is returned with 403 for a form without its CSRF token', async () => {
    const { browser } = await signInOwner(world)
    const { status, text } = await browser.post('/account/', { _csrf: 'x' }, { referer: `${world.base}/account/` })
    expect([status, headingOf(text)]).toEqual([403, 'This form has expired'])
    expect(text).toContain('<a class="button" href="/account/">Back</a>')
  })

  test('is returned with 415 for a body that is not a form', async () => {
    const body = 'x'.repeat(100)
    const reply = await world.anonymous.post('/accounts/login/', {
      body,
      headers: { 'content-type': 'text/x-nothing' },
    })
    expect([reply.status, headingOf(reply.text)]).toEqual([415, 'There is a problem'])
    expect(reply.text).toContain('Accepted: application/x-www-form-urlencoded')
  })
})
