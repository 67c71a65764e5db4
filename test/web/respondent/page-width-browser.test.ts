import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../support/browser.ts'
import { pageOf, surveyOf } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const LONG_WORD = 'w'.repeat(80)
const INSURANCE = 'Rechtsschutzversicherung'
const COMPANY = 'Rechtsschutzversicherungsgesellschaft'
const EMAIL = 'somebody.with-a-long-name@mail.example.org'

/** Every type of question with a word in each of its texts. */
function everyType(word: string) {
  const choices = [{ label: word }, { label: `${word} x`, other: true }]
  const plain = [{ label: word }, { label: `${word} x` }]
  const rows = (type: string) => [{ type, label: word, required: true }]
  const ask = (idname: string, more: object) => ({ idname, id: idname, title: word, description: word, ...more })
  return [
    ask('single-choice', { children: [{ choices, required: true }] }),
    ask('multiple-choice', { children: [{ choices }] }),
    ask('dropdown-choice', { children: [{ choices }] }),
    ask('boolean-choice', { children: [{ choices: plain }] }),
    ask('ranking', { children: [{ choices }] }),
    ask('net-promoter', { children: [{ leftLabel: word, rightLabel: word }] }),
    ask('single-choice-grid', { choices: plain, children: rows('single') }),
    ask('dropdown-grid', { choices: plain, children: rows('dropdown') }),
    ask('text-response-grid', { children: rows('string') }),
    ask('text-response', { children: [{}] }),
    ask('datetime', { children: [{}] }),
    { idname: 'ranking', id: 'long', title: word, children: [{ choices: Array(31).fill({ label: word }) }] },
    { idname: 'section-separator', title: word, description: word },
  ]
}

test.each([
  ['eighty letters', LONG_WORD],
  ['Rechtsschutzversicherung', INSURANCE],
  ['a longer German word', COMPANY],
  ['an e-mail address', EMAIL],
])('no question with %s in its texts makes the page wider than a phone', async (_, word) => {
  const { path } = await surveyOf(world, await world.person(), {
    title: word,
    description: word,
    languages: [{ code: 'de', name: 'Deutsch', isDefault: true }],
    form: [
      { ...pageOf(...everyType(word)), title: word, description: word },
      pageOf({ ...everyType(word)[9]!, id: 'b' }),
    ],
  })
  for (const javaScriptEnabled of [true, false])
    for (const width of [390, 320]) {
      const context = await browser.newContext({ viewport: { width, height: 780 }, javaScriptEnabled, isMobile: true })
      const page = await context.newPage()
      await page.goto(world.base + path)
      const wide = async () => {
        const session = await context.newCDPSession(page)
        const { cssContentSize } = await session.send('Page.getLayoutMetrics')
        return [javaScriptEnabled, width, cssContentSize.width]
      }
      expect(await wide()).toEqual([javaScriptEnabled, width, width])
      // The same with what is wrong beside each question.
      await page.getByRole('button', { name: 'Weiter', exact: true }).click()
      await page.locator('.summary').waitFor()
      expect(await wide()).toEqual([javaScriptEnabled, width, width])
      await context.close()
    }
})
