import { describe, expect, it } from '@jest/globals'
import { addSurvey, pageOf, storedResponses, text } from '../../support/surveys.ts'
import { press, useChromium } from '../../support/use-chromium.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
const chromium = useChromium()

const structure = { title: 'Trains', form: [pageOf(text('a')), pageOf(text('b'))] }

async function start() {
  const { survey, path } = await addSurvey(await world.person(), structure)
  const page = await chromium.newPage({ viewport: { width: 390, height: 844 } })
  return { survey, page, address: world.base + path, notice: page.getByText('There is no connection.') }
}

describe('a page that is submitted without a connection', () => {
  it('stays with its answers, and is submitted once when the connection is back', async () => {
    const { survey, page, address, notice } = await start()
    await page.goto(address)
    await page.getByLabel('Text a').fill('Tunnel')
    await page.context().setOffline(true)
    await press(page, 'Next')
    await notice.waitFor()
    await press(page, 'Next')
    expect(await notice.count()).toBe(1)
    expect(page.url()).toBe(address)
    expect(await page.getByLabel('Text a').inputValue()).toBe('Tunnel')
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0)
    await page.context().setOffline(false)
    await page.waitForURL(/page=2/)
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completed: 0, answers: { a: 'Tunnel' } }])
  })

  it('stays as well if the device believes to be online, and is sent when the respondent tries again', async () => {
    const { page, address, notice } = await start()
    await page.clock.install()
    await page.goto(address)
    await page.getByLabel('Text a').fill('Tunnel')
    await page.clock.fastForward(61_000)
    const isProbe = (url: URL) => url.pathname.startsWith('/assets/')
    await page.route(isProbe, (route) => route.abort())
    await press(page, 'Next')
    await notice.waitFor()
    await page.unroute(isProbe)
    await press(page, 'Next')
    await page.waitForURL(/page=2/)
  })
})

describe('a response in two windows', () => {
  it('says in the window that is behind that it would replace newer answers, and offers these', async () => {
    const { survey, page, address } = await start()
    await page.goto(address)
    await page.getByLabel('Text a').fill('old')
    await press(page, 'Next')
    await page.waitForURL(/page=2/)
    await press(page, 'Back')
    await page.waitForURL(/page=1/)
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByLabel('Text a').fill('new')
    await press(other, 'Next')
    await other.waitForURL(/page=2/)
    await page.getByText('You have sent answers in another window meanwhile.').waitFor()
    expect(await page.getByLabel('Text a').inputValue()).toBe('old')
    await page.getByRole('link', { name: 'Show the answers that were sent last' }).click()
    await page.locator('input[value=new]').waitFor()
    expect(await storedResponses(world, survey.id)).toMatchObject([{ answers: { a: 'new' } }])
  })

  it('says nothing about another response of the same survey', async () => {
    const { page, address } = await start()
    await page.goto(address)
    const other = await page.context().newPage()
    await other.goto(address)
    await other.getByLabel('Text a').fill('x')
    await press(other, 'Next')
    await other.waitForURL(/page=2/)
    await page.bringToFront()
    expect(await page.locator('.notice').count()).toBe(0)
  })
})
