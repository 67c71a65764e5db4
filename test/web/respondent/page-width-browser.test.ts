import { describe, expect, test } from '@jest/globals'
import { addSurvey, pageOf } from '../../support/surveys.ts'
import { useChromium } from '../../support/use-chromium.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
const chromium = useChromium()

const LONG_WORD = 'w'.repeat(80)
const INSURANCE = 'Rechtsschutzversicherung'
const COMPANY = 'Rechtsschutzversicherungsgesellschaft'
const EMAIL = 'a.long.user-name@mail.example.org'

/** Returns a question of each type with a word as each of its texts. */
function everyType(word: string) {
  const choices = [{ label: word }, { label: `${word} x`, other: true }]
  const choicesWithoutOther = [{ label: word }, { label: `${word} x` }]
  const rows = (type: string) => [{ type, label: word, required: true }]
  const question = (idname: string, more: object) => ({ idname, id: idname, title: word, description: word, ...more })
  return [
    question('single-choice', { children: [{ choices, required: true }] }),
    question('multiple-choice', { children: [{ choices }] }),
    question('dropdown-choice', { children: [{ choices }] }),
    question('boolean-choice', { children: [{ choices: choicesWithoutOther }] }),
    question('ranking', { children: [{ choices }] }),
    question('net-promoter', { children: [{ leftLabel: word, rightLabel: word }] }),
    question('single-choice-grid', { choices: choicesWithoutOther, children: rows('single') }),
    question('dropdown-grid', { choices: choicesWithoutOther, children: rows('dropdown') }),
    question('text-response-grid', { children: rows('string') }),
    question('text-response', { children: [{}] }),
    question('datetime', { children: [{}] }),
    { idname: 'ranking', id: 'long', title: word, children: [{ choices: Array(31).fill({ label: word }) }] },
    { idname: 'section-separator', title: word, description: word },
  ]
}

describe('a survey page', () => {
  test.each([
    ['a word of 80 characters', LONG_WORD],
    ['a German word', INSURANCE],
    ['a longer German word', COMPANY],
    ['an email address', EMAIL],
  ])('with %s in every text, is not wider than a phone', async (_, word) => {
    const { path } = await addSurvey(await world.person(), {
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
        const page = await chromium.newPage({ viewport: { width, height: 780 }, javaScriptEnabled, isMobile: true })
        await page.goto(world.base + path)
        const session = await page.context().newCDPSession(page)
        const contentWidth = async () => {
          const { cssContentSize } = await session.send('Page.getLayoutMetrics')
          return [javaScriptEnabled, width, cssContentSize.width]
        }
        expect(await contentWidth()).toEqual([javaScriptEnabled, width, width])
        // The page with an error beside each question.
        await page.getByRole('button', { name: 'Weiter', exact: true }).click()
        await page.locator('.summary').waitFor()
        expect(await contentWidth()).toEqual([javaScriptEnabled, width, width])
      }
  })
})
