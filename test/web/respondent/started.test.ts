import { describe, expect, test } from '@jest/globals'
import { HttpBrowser } from '../../support/http-browser.ts'
import { addSurvey, pageOf, storedResponses, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
const structure = { title: 'Two pages', form: [pageOf(text('a')), pageOf(text('b'))] }
const OFFER = 'Continue where you left off'

const keyIn = (page: string) => /name="_key" value="([0-9a-f]{40})"/.exec(page)?.[1]

/** Opens a survey and submits its first page. @returns the key of the response */
async function start(browser: HttpBrowser, path: string): Promise<string> {
  const key = keyIn((await browser.get(path)).text)!
  await browser.post(`${path}${key}/`, { _key: key, _page: '1', _go: 'next', a: 'x' })
  return key
}

describe('a survey that the browser has started [spec 13.2]', () => {
  test('offers to continue the response, which is then completed', async () => {
    const { survey, path } = await addSurvey(await world.person(), structure)
    const browser = new HttpBrowser(world.base)
    const key = await start(browser, path)
    const offer = await browser.get(path)
    expect(offer.text).toContain(OFFER)
    expect(keyIn(offer.text)).toBeUndefined()
    expect(offer.text).toContain(`href="${path}${key}/"`)
    expect((await browser.get(`${path}${key}/`)).text).toContain('Text b')
    await browser.post(`${path}${key}/`, { _key: key, _page: '2', _go: 'next', b: 'y' })
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completed: 1, answers: { a: 'x', b: 'y' } }])
    expect((await browser.get(path)).text).not.toContain(OFFER)
  })

  test('can be started again, without losing the first response or the query of the address', async () => {
    const { survey, path } = await addSurvey(await world.person(), structure)
    const browser = new HttpBrowser(world.base)
    const key = await start(browser, path)
    const again = await browser.post(`${path}?source=poster`, { _start_again: '1' })
    expect(again).toMatchObject({ status: 303, to: `${path}?source=poster` })
    expect(await start(browser, path)).not.toBe(key)
    expect(await storedResponses(world, survey.id)).toHaveLength(2)
    expect((await browser.get(`${path}${key}/`)).text).toContain('Text b')
  })

  test('offers nothing in another browser, and nothing for another survey', async () => {
    const [one, two] = [
      await addSurvey(await world.person(), structure),
      await addSurvey(await world.person(), structure),
    ]
    const browser = new HttpBrowser(world.base)
    await start(browser, one.path)
    expect((await browser.get(two.path)).text).not.toContain(OFFER)
    expect((await new HttpBrowser(world.base).get(one.path)).text).not.toContain(OFFER)
    await start(browser, two.path)
    for (const { path } of [one, two]) expect((await browser.get(path)).text).toContain(OFFER)
  })

  test.each([
    ['with the setting kiosk', { kiosk: true }],
    [
      'if it is anonymous and knows who signs in',
      {
        anonymous: true,
        custom_authentication: { enabled: true, endpoint_uri: 'https://id.example.org', client_secret_encrypted: null },
      },
    ],
  ])('offers nothing and sets no cookie %s', async (_, settings) => {
    const { path } = await addSurvey(await world.person(), structure, settings)
    const browser = new HttpBrowser(world.base)
    const key = keyIn((await browser.get(path)).text)
    if (key) await browser.post(`${path}${key}/`, { _key: key, _page: '1', _go: 'next', a: 'x' })
    expect([...browser.cookies.keys()]).not.toContain('responses')
    expect((await browser.get(path)).text).not.toContain(OFFER)
  })

  test('is named in a cookie that scripts cannot read and that names five responses at most', async () => {
    const person = await world.person()
    const browser = new HttpBrowser(world.base)
    const keys = []
    for (let n = 0; n < 6; n += 1) keys.push(await start(browser, (await addSurvey(person, structure)).path))
    const entries = browser.cookies.get('responses')!.split('~')
    expect(entries.map((entry) => entry.split('.')[1])).toEqual(keys.slice(1).reverse())
    const { path } = await addSurvey(person, structure)
    const key = keyIn((await browser.get(path)).text)!
    const reply = await fetch(`${world.base}${path}${key}/`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ _key: key, _page: '1', _go: 'next', a: 'x' }),
    })
    expect(reply.headers.get('set-cookie')).toMatch(/^responses=[^;]+; path=\/; expires=[^;]+; samesite=lax; httponly$/)
  })

  test('ignores a cookie that it did not write, and a response that was deleted', async () => {
    const person = await world.person()
    const { survey, path } = await addSurvey(person, structure)
    const browser = new HttpBrowser(world.base)
    await start(browser, path)
    const [response] = await storedResponses(world, survey.id)
    await person.delete(`/api/v3/surveys/${survey.id}/responses/${response!.id}/`)
    expect((await browser.get(path)).text).not.toContain(OFFER)
    for (const value of [
      '',
      '~',
      `${survey.id}`,
      `${survey.id}.`,
      `x.${'a'.repeat(40)}`,
      `${'9'.repeat(300)}.${'a'.repeat(40)}`,
    ]) {
      browser.cookies.set('responses', value)
      expect((await browser.get(path)).status).toBe(200)
    }
  })
})
