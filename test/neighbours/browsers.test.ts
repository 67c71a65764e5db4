import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, it } from '@jest/globals'
import { EVERY_TYPE } from '../support/every-type.ts'
import { addSurvey, storedResponses } from '../support/surveys.ts'
import { temporaryFolder } from '../support/temp-postgres.ts'
import { DebianBrowser, KEYS } from '../support/web-drivers.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const TEST_TIMEOUT_MS = 300_000
/** The smallest width of WCAG 1.4.10, and that of a desk. */
const [PHONE, DESK] = [320, 1280]

let browser: DebianBrowser
afterEach(() => browser?.stop())

/** What is typed or chosen on the first page: texts by name, and values of choices. */
const TEXTS = {
  remark: 'Grüße, "quoted"',
  count: '7',
  'drinks\\other': 'Juice',
  words_0: 'a',
  words_1: '1,5',
  price: '12.5',
  mail: 'ann@',
  sign: 'Ann',
  budget_0: '70',
  budget_1: '30',
}
const TICKS: [name: string, ...values: (string | number)[]][] = [
  ['colour', 0],
  ['scale', 0],
  ['drinks', 0],
  ['coded', 0, 2],
  ['again', 'true'],
  ['rate_0', 0],
  ['rate_1', 2],
  ['nps', 9],
  ['stars', 4],
  ['cup', 1],
  ['cups', 1],
  ['uses_0', 0, 1],
  ['uses_1', 0],
]
/** The first letters of options. */
const OPTIONS = { often: 'Nev', when_0: 'Ful', when_1: 'Par' }
const TIMES = { day: '2026-03-01', moment: '2026-03-01T09:30', clock: '09:30' }

/** The questions of the first page, which all have an answer. */
const questions = EVERY_TYPE.form[0]!.children.flatMap(({ id }) => id ?? []) as string[]

const field = (name: string, more = '') => `[name=${JSON.stringify(name)}]${more}`

/** Returns the expression of the first element that matches. */
const element = (selector: string) => `document.querySelector(${JSON.stringify(selector)})`

/** Clicks the label of a radio button or check box. */
async function tick(name: string, value: string | number) {
  const id = await browser.run(`${element(field(name, `[value="${value}"]`))}.id`)
  await browser.click(`label[for="${id}"]`)
}

/** Focuses a field, as the Tab key does, and presses keys. */
async function typeIn(selector: string, keys: string) {
  await browser.run(`${element(selector)}.focus()`)
  await browser.type(keys)
}

/** Answers every question of the first page, the email address wrongly. */
async function answerFirstPage(scripts: boolean) {
  for (const [name, ...values] of TICKS) for (const value of values) await tick(name, value)
  for (const [name, text] of Object.entries(TEXTS)) await browser.fill(field(name), text)
  for (const [name, letters] of Object.entries(OPTIONS)) await typeIn(field(name), letters)
  // Each browser lets people type dates in another order.
  for (const [name, time] of Object.entries(TIMES)) await browser.run(`${element(field(name))}.value = '${time}'`)
  const file = path.join(temporaryFolder(), 'photo.txt')
  writeFileSync(file, 'a photo')
  await browser.chooseFile(field('photo\\file'), file)
  await browser.click(field('ok'))
  if (!scripts) {
    for (const [choice, position] of [2, 3, 1].entries()) await typeIn(field(`rank\\rank\\${choice}`), String(position))
    return browser.fill(field('slide'), '40')
  }
  await browser.until(`!!${element('.upload .files li')}`)
  // C, then A, then B.
  await browser.click('.ranking li:nth-child(3) button')
  await browser.click('.ranking li:nth-child(2) button')
  await typeIn('input[type=range]', KEYS.right)
  await browser.draw('.signature canvas')
}

const expectedAnswers = (scripts: boolean) => ({
  ...TEXTS,
  ...TIMES,
  mail: 'ann@example.org',
  price: 12.5,
  budget_0: 70,
  budget_1: 30,
  colour: 0,
  scale: 0,
  often: 2,
  drinks: [0, 2],
  coded: [0, 2],
  again: true,
  rank: [2, 0, 1],
  rate_0: 0,
  rate_1: 2,
  when_0: 0,
  when_1: 1,
  nps: 9,
  stars: 4,
  slide: scripts ? 51 : 40,
  ok: true,
  cup: 1,
  cups: [1],
  uses_0: [0, 1],
  uses_1: [0],
  later: [1],
  source: 'poster',
  photo: expect.stringMatching(/^\w{32}$/),
  ...(scripts && { 'sign\\image': expect.stringMatching(/^\w{32}$/) }),
})

/** Waits for a page that shows a text, and expects it to fit its window. */
async function expectPage(text: string) {
  await browser.shows(text)
  expect([text, await browser.tooWide()]).toEqual([text, []])
}

describe.each(['Firefox', 'WebKitGTK'] as const)('in %s at 320 px', (name) => {
  it.each([
    ['with scripts', true],
    ['without scripts', false],
  ])(
    'respondents answer every question type, correct an error, go back, and finish, %s',
    async (_, scripts) => {
      browser = await DebianBrowser.start(name, { width: PHONE, scripts })
      const { survey, path: address } = await addSurvey(await world.person(), EVERY_TYPE)
      await browser.open(`${world.base}${address}?source=poster`)
      expect(await browser.run('innerWidth')).toBe(PHONE)
      await expectPage('A number')
      await browser.resize(DESK)
      await browser.until(`innerWidth === ${DESK}`)
      await expectPage('A number')
      await browser.resize(PHONE)
      await browser.until(`innerWidth === ${PHONE}`)
      await answerFirstPage(scripts)
      await browser.click('button.primary')
      await expectPage('There is a problem')
      await browser.fill(field('mail'), 'example.org')
      await browser.click('button.primary')
      await expectPage('Later')
      await tick('later', 1)
      await browser.click('button[value=back]')
      await expectPage('A number')
      expect(await browser.run(`${element(field('remark'))}.value`)).toBe(TEXTS.remark)
      await browser.click('button.primary')
      await expectPage('Later')
      await browser.click('button.primary')
      await expectPage('Thank you!')
      const [response, ...others] = await storedResponses(world, survey.id)
      expect(others).toEqual([])
      expect(response).toMatchObject({ completed: 1, answers: expectedAnswers(scripts) })
      const answered = new Set(Object.keys(response!.answers).map((key) => key.split(/[_\\]/)[0]))
      expect(questions.filter((id) => !answered.has(id))).toEqual([])
    },
    TEST_TIMEOUT_MS,
  )

  it.each([
    ['with scripts', true],
    ['without scripts', false],
  ])(
    'owners sign in by keyboard, after a wrong password, %s',
    async (_, scripts) => {
      browser = await DebianBrowser.start(name, { width: PHONE, scripts })
      const { actor, password } = await world.person()
      await browser.open(`${world.base}/account/`)
      await expectPage('Sign in')
      await typeIn('input[name=username]', `${actor.username}${KEYS.tab}wrong${KEYS.enter}`)
      await expectPage('The username, email address or password is wrong.')
      await typeIn('input[name=password]', `${password}${KEYS.enter}`)
      await expectPage('Save profile')
    },
    TEST_TIMEOUT_MS,
  )
})
