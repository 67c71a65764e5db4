import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type HttpBrowser, signInAs } from '../support/http-browser.ts'
import { onEveryScreen } from '../support/screens.ts'
import { addSurvey, pageOf, single, text } from '../support/surveys.ts'
import { picture } from '../support/uploads.ts'
import { useChromium } from '../support/use-chromium.ts'
import { FONT } from '../support/woff2.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const chromium = useChromium()
const LOGO = fileURLToPath(new URL('../support/logo.png', import.meta.url))
const choices = [{ label: 'Rye' }, { label: 'Wheat' }]
const structure = {
  title: 'Bread',
  description: 'Two minutes about the first meal of the day.',
  form: [pageOf(single('bread', [], { type: 'single', required: true, choices }), text('why')), pageOf(text('end'))],
}
const LANDSCAPE =
  '<body style="margin:0"><svg xmlns="http://www.w3.org/2000/svg" width="1600" height="600"><rect width="1600" height="600" fill="#9cc9e8"/><circle cx="1250" cy="170" r="80" fill="#fff3c4"/><path d="M0 380Q400 250 800 360T1600 300V600H0z" fill="#d9b44a"/><path d="M0 470Q500 380 900 470T1600 430V600H0z" fill="#8a6b1f"/></svg>'
const draw = async (page: Page): Promise<Buffer> => {
  await page.setContent(LANDSCAPE)
  return page.screenshot()
}
const setUp = async (form: object = structure) => {
  const person = await world.person()
  const { survey, path } = await addSurvey(person, form)
  return { person, survey, address: world.base + path, root: `/account/surveys/${survey.id}/edit/theme/` }
}

onEveryScreen('the theme of a survey', 'is chosen with a preview, and shown to respondents', async (screen) => {
  const { page, newPage, expectClean, press, signIn } = screen
  const { person, address, root } = await setUp()
  const cover = await draw(await newPage({ viewport: { width: 1600, height: 600 }, deviceScaleFactor: 1 }))
  await page.goto(world.base + root)
  await signIn(person)
  await page.getByLabel('Accent colour', { exact: true }).fill('#ffd400')
  await page.getByRole('status').filter({ hasText: 'Buttons are #ffd400 with black text' }).waitFor()
  expect(await page.locator('[data-scheme=light] [data-fill=fill]').getAttribute('fill')).toBe('#ffd400')
  await press('Save theme')
  await page.getByText('Theme saved.').waitFor()
  await expectClean('theme-light-accent')
  await page.goto(address)
  await expectClean('survey-with-a-light-accent')
  await page.goto(world.base + root)
  await page.getByLabel('Accent colour', { exact: true }).fill('yellow')
  await page.getByRole('status').filter({ hasText: 'Enter colours' }).waitFor()
  await press('Save theme')
  await page.getByText('Nothing was saved. Fix the errors below.').waitFor()
  await expectClean('theme-rejected')
  await page.getByRole('link', { name: /^Accent colour/ }).click()
  await page.locator('#accent_color:focus').waitFor()
  await page.getByLabel('Accent colour', { exact: true }).fill('#8a3b12')
  await page.getByLabel('Background colour', { exact: true }).fill('#fbf3ea')
  await page.getByRole('status').filter({ hasText: 'Easy to read' }).waitFor()
  await page.getByLabel('Font', { exact: true }).selectOption('Serif')
  await page.getByLabel('Corners').selectOption('Round')
  await page.locator('#logo').setInputFiles(LOGO)
  await page.getByLabel('Logo description').fill('Example Ltd')
  await page.getByLabel('Own font').setInputFiles({ name: 'own.woff2', mimeType: 'font/woff2', buffer: FONT })
  await page.locator('#cover').setInputFiles({ name: 'field.png', mimeType: 'image/png', buffer: cover })
  await page.getByLabel('Description of the cover picture').fill('A field of rye')
  const footer = page.getByRole('region', { name: 'Footer' })
  await footer.getByLabel('Text').fill('Example Ltd, Bergen')
  await footer.getByLabel('Label').fill('Privacy policy')
  await footer.getByLabel('URL').fill('https://example.org/privacy')
  const thanks = page.getByRole('region', { name: 'Thank-you page' })
  await thanks.getByLabel('Title').fill('Well done!')
  await thanks.getByLabel('Label').fill('Visit our shop')
  await thanks.getByLabel('URL').fill('https://example.org/shop')
  await press('Save theme')
  await page.getByText('Theme saved.').waitFor()
  await page.frameLocator('iframe').getByAltText('Example Ltd').waitFor()
  await page.frameLocator('iframe').getByAltText('A field of rye').waitFor()
  await page.getByLabel('New own font').waitFor()
  await expectClean('theme')

  await page.goto(address)
  await expectClean('survey-with-a-theme')
  await page.getByRole('img', { name: 'Example Ltd' }).waitFor()
  await page.getByRole('img', { name: 'A field of rye' }).waitFor()
  const fonts = () => page.evaluate('[...document.fonts].map(({ family, status }) => [family, status])')
  expect(await fonts()).toEqual([['Own font', 'loaded']])
  await page.getByText('Rye').click()
  await press('Next')
  await press('Submit')
  await page.getByRole('heading', { name: 'Well done!' }).waitFor()
  expect(await page.getByRole('link', { name: 'Visit our shop' }).getAttribute('href')).toBe('https://example.org/shop')
  await expectClean('thank-you-page')

  await person.put(`/api/v3/users/${person.actor.id}/theme/`, {
    json: { background_color: '#12203a', accent_color: '#ffb454' },
  })
  await page.goto(`${world.base}/account/theme/`)
  await expectClean('theme-of-the-account')
  const dark = await addSurvey(person, { ...structure, title: 'Dark' })
  await page.goto(world.base + dark.path)
  await expectClean('survey-with-a-dark-theme')
})

onEveryScreen('a survey that shows one question at a time', 'is answered by tapping', async (screen) => {
  const { page, expectClean, press } = screen
  const { person, survey, address } = await setUp({
    title: 'Bread',
    description: 'Two minutes about the first meal of the day.',
    form: [pageOf(single('bread', [], { type: 'single', choices }), text('why')), pageOf(text('end'))],
  })
  await person.put(`/api/v3/surveys/${survey.id}/theme/`, { json: { layout: 'question', accent_color: '#f2b705' } })
  await page.goto(address)
  await page.getByText('Click or tap an answer').waitFor()
  expect(await page.getByText('Question 1 of 3').isVisible()).toBe(true)
  await expectClean('one-question')
  await page.getByText('Rye').click()
  await page.getByLabel('Text why').waitFor()
  expect(await page.getByRole('progressbar').getAttribute('value')).toBe('33')
  await expectClean('one-question-text')
  await press('Back')
  await page.getByText('Wheat').click()
  await page.getByLabel('Text why').waitFor()
  await press('Next')
  await page.getByText('Question 3 of 3').waitFor()
  await press('Submit')
  await page.getByRole('heading', { name: /Thank/ }).waitFor()
  const { results } = (await person.get(`/api/v3/surveys/${survey.id}/responses/`)).body
  expect(results[0].bread).toBe(1)
})

describe('a survey that shows one question at a time', () => {
  const oneAtATime = async (form: object[], options: object = {}) => {
    const { person, survey, address } = await setUp({ title: 'Bread', form })
    await person.put(`/api/v3/surveys/${survey.id}/theme/`, { json: { layout: 'question' } })
    const page = await chromium.newPage({ viewport: { width: 900, height: 700 }, ...options })
    await page.goto(address)
    return { person, survey, page }
  }

  test('is answered with letters, numbers and Enter, and stays at the end until it is submitted', async () => {
    const { page, person, survey } = await oneAtATime([
      pageOf(
        single('bread', [], { type: 'single', choices }),
        { idname: 'multiple-choice', id: 'with', title: 'With', children: [{ type: 'multiple', choices }] },
        { idname: 'net-promoter', id: 'nps', title: 'Recommend', children: [{ type: 'net-promoter' }] },
        text('why'),
        single('last', [], { type: 'single', choices }),
      ),
    ])
    const keyboard = page.keyboard
    await page.getByText('Single bread').click()
    await keyboard.press('b')
    await page.getByRole('group', { name: 'With' }).waitFor()
    await keyboard.press('1')
    await keyboard.press('b')
    await keyboard.press('Enter')
    await page.getByRole('group', { name: 'Recommend' }).waitFor()
    await keyboard.press('1')
    await keyboard.press('0')
    // The text field has the focus, so letters are typed.
    await page.getByLabel('Text why').waitFor()
    await page.locator('#main :focus[type=text]').waitFor()
    await keyboard.type('abc')
    await keyboard.press('Enter')
    await page.getByText('Single last').waitFor()
    await page.locator('.question:focus', { hasText: 'Single last' }).waitFor()
    await keyboard.press('a')
    expect(await page.getByText('Click or tap an answer').isVisible()).toBe(false)
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: /Thank/ }).waitFor()
    const { results } = (await person.get(`/api/v3/surveys/${survey.id}/responses/`)).body
    expect(results[0]).toMatchObject({ bread: 1, with: [0, 1], nps: 10, why: 'abc', last: 0 })
  })

  test('does not advance when arrow keys pass the choices, or letters are typed outside of the question', async () => {
    const { page } = await oneAtATime([pageOf(single('bread', [], { type: 'single', choices }), text('why'))])
    await page.keyboard.press('b')
    expect(await page.getByRole('radio', { checked: true }).count()).toBe(0)
    await page.getByRole('radio', { name: 'Rye' }).focus()
    await page.keyboard.press('ArrowDown')
    expect(await page.getByRole('radio', { name: 'Wheat' }).isChecked()).toBe(true)
    // A choice with the pointer advances after the same time.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 400)))
    expect(await page.getByLabel('Text why').isVisible()).toBe(false)
    await page.keyboard.press('Enter')
    await page.getByLabel('Text why').waitFor()
  })

  test('waits for the questions that a choice shows, and shows a separator with the question after it', async () => {
    const condition = { all: [{ question: 'bread', op: 'eq', value: 1 }] }
    const { page } = await oneAtATime([
      pageOf(
        single('bread', [], { type: 'single', choices }),
        { ...text('oven'), condition },
        { idname: 'section-separator', id: 'part', title: 'Second part' },
        text('why'),
      ),
    ])
    await page.getByText('Wheat').click()
    await page.getByLabel('Text oven').waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByLabel('Text why').waitFor()
    expect(await page.getByText('Second part').isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByText('Rye').click()
    await page.getByLabel('Text why').waitFor()
  })

  test('does not lead to the end of the survey by a choice whose page can skip to the end', async () => {
    const skip = [{ to: 'complete', when: { question: 'bread', op: 'eq', value: 1 } }]
    const { page } = await oneAtATime([
      { ...pageOf(single('bread', [], { type: 'single', choices })), skip },
      pageOf(text('why')),
    ])
    expect(await page.getByText('Click or tap an answer').isVisible()).toBe(false)
  })

  test('goes forward only after a required answer, and keeps the answers when going back', async () => {
    const { person, survey, address } = await setUp()
    await person.put(`/api/v3/surveys/${survey.id}/theme/`, { json: { layout: 'question' } })
    const page = await chromium.newPage({ viewport: { width: 320, height: 640 } })
    await page.goto(address)
    const why = page.getByLabel('Text why')
    expect([await page.getByText('Rye').isVisible(), await why.isVisible()]).toEqual([true, false])
    await page.getByRole('button', { name: 'Next' }).click()
    expect(await why.isVisible()).toBe(false)
    await page.getByText('Rye').click()
    await page.getByRole('button', { name: 'Next' }).click()
    await why.fill('It keeps')
    await page.getByRole('button', { name: 'Back' }).click()
    expect([await page.getByText('Rye').isVisible(), await why.isVisible()]).toEqual([true, false])
    await page.getByRole('button', { name: 'Next' }).click()
    expect(await why.inputValue()).toBe('It keeps')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByLabel('Text end').fill('done')
    await page.getByRole('button', { name: 'Submit' }).click()
    await page.getByRole('heading', { name: /Thank/ }).waitFor()
  })

  test('shows the question when the respondent follows its link in the error summary', async () => {
    const several = (id: string, title: string) => ({
      idname: 'multiple-choice',
      id,
      title,
      children: [{ type: 'multiple', minSelected: 2, choices }],
    })
    const { person, survey, address } = await setUp({
      title: 'Bread',
      form: [pageOf(several('eaten', 'Eaten'), several('baked', 'Baked'))],
    })
    await person.put(`/api/v3/surveys/${survey.id}/theme/`, { json: { layout: 'question' } })
    const page = await chromium.newPage({ viewport: { width: 320, height: 640 } })
    await page.goto(address)
    const eaten = page.getByRole('group', { name: 'Eaten' })
    const baked = page.getByRole('group', { name: 'Baked' })
    await eaten.getByText('Rye').click()
    await page.getByRole('button', { name: 'Next' }).click()
    await baked.getByText('Rye').click()
    await page.getByRole('button', { name: 'Submit' }).click()
    await page.getByRole('alert').waitFor()
    expect([await eaten.isVisible(), await baked.isVisible()]).toEqual([true, false])
    await page.getByRole('link', { name: /^Baked/ }).click()
    expect([await eaten.isVisible(), await baked.isVisible()]).toEqual([false, true])
  })

  test('asks for a required answer in the language of the survey', async () => {
    const { person, survey, address } = await setUp({ ...structure, languages: [{ code: 'de', isDefault: true }] })
    await person.put(`/api/v3/surveys/${survey.id}/theme/`, { json: { layout: 'question' } })
    const page = await chromium.newPage({ locale: 'en' })
    await page.goto(address)
    const messages = () =>
      page
        .locator('[name=bread]')
        .evaluateAll((fields) => fields.map((field) => 'validationMessage' in field && field.validationMessage))
    await page.getByRole('button', { name: 'Weiter' }).click()
    expect((await messages())[0]).toBe('Bitte beantworten Sie diese Frage.')
    await page.getByText('Wheat').click()
    expect(await messages()).toEqual(['', ''])
    await page.getByRole('button', { name: 'Weiter' }).click()
    await page.getByLabel('Text why').fill('It keeps')
  })

  test('shows the whole page without scripts', async () => {
    const { person, survey, address } = await setUp()
    await person.put(`/api/v3/surveys/${survey.id}/theme/`, { json: { layout: 'question' } })
    const page = await chromium.newPage({ javaScriptEnabled: false })
    await page.goto(address)
    expect([await page.getByText('Rye').isVisible(), await page.getByLabel('Text why').isVisible()]).toEqual([
      true,
      true,
    ])
  })
})

describe('the theme pages without scripts', () => {
  const fields = { accent_color: '#8a3b12', background_color: '', font: 'mono', corners: '', layout: '', logo_text: '' }
  let browser: HttpBrowser

  test('save texts in each language, and show the entered values again after an error', async () => {
    const languages = [
      { code: 'en', name: 'English', isDefault: true },
      { code: 'fr', name: 'Français', isDefault: false },
    ]
    const { person, survey, root } = await setUp({ ...structure, languages })
    browser = await signInAs(person)
    await browser.get(root)
    const footer = { 'footer.text.en': 'Ltd', 'footer.text.fr': 'SARL', 'footer.links[0].url': 'https://example.org/' }
    expect((await browser.post(root, { ...fields, ...footer })).status).toBe(303)
    expect((await person.get(`/api/v3/surveys/${survey.id}/theme/`)).body).toMatchObject({
      accent_color: '#8a3b12',
      background_color: null,
      font: 'mono',
      footer: { text: { en: 'Ltd', fr: 'SARL' }, links: [{ url: 'https://example.org/' }] },
      thank_you_page: null,
    })
    const rejected = await browser.post(root, { ...fields, accent_color: 'red', 'footer.text.en': 'Changed' })
    expect([rejected.status, rejected.text]).toEqual([422, expect.stringContaining('value="red"')])
    expect(rejected.text).toContain('Changed')
    expect((await browser.post(root, { ...fields, font: 'comic' })).status).toBe(422)
  })

  test('store a cover picture and a font, keep them, and remove them', async () => {
    const { person, survey, root } = await setUp()
    const theme = async () => (await person.get(`/api/v3/surveys/${survey.id}/theme/`)).body
    browser = await signInAs(person)
    await browser.get(root)
    const font = new File([new Uint8Array(FONT)], 'own.woff2')
    const rejected = await browser.multipart(root, { ...fields, font_file: new File(['wOF2'], 'a.woff2') })
    expect([rejected.status, rejected.text]).toEqual([422, expect.stringContaining('must be a WOFF2 file')])
    const files = { cover: picture(), cover_text: 'Rye', font_file: font }
    expect((await browser.multipart(root, { ...fields, ...files })).status).toBe(303)
    const stored = await theme()
    expect(stored).toMatchObject({ cover: { width: 120 }, cover_text: 'Rye', font_file: { size: FONT.length } })
    const none = new File([], '')
    await browser.multipart(root, { ...fields, cover: none, font_file: none, cover_text: 'Rye' })
    expect(await theme()).toEqual(stored)
    await browser.post(root, { ...fields, 'cover.remove': 'on', 'font_file.remove': 'on' })
    expect(await theme()).toMatchObject({ cover: null, cover_text: null, font_file: null })
  })

  test('keep a stored text in a language that the survey does not have', async () => {
    const { person, survey, root } = await setUp()
    const theme = `/api/v3/surveys/${survey.id}/theme/`
    await person.put(theme, { json: { footer: { text: { fr: 'SARL' }, links: [] } } })
    browser = await signInAs(person)
    const { text } = await browser.get(root)
    const [, name = '', value = ''] = /name="(footer\.text\.fr)"[^>]*>([^<]*)</.exec(text) ?? []
    expect((await browser.post(root, { ...fields, [name]: value })).status).toBe(303)
    expect((await person.get(theme)).body).toMatchObject({ font: 'mono', footer: { text: { fr: 'SARL' } } })
  })

  test('save the theme of the account', async () => {
    const { person, address } = await setUp()
    browser = await signInAs(person)
    await browser.get('/account/theme/')
    expect((await browser.post('/account/theme/', { ...fields, 'footer.text.': 'Example Ltd' })).status).toBe(303)
    expect((await browser.get('/account/theme/')).text).toContain('Example Ltd')
    expect(await (await fetch(address)).text()).toContain('Example Ltd')
  })

  test('return 404 to other users', async () => {
    const { root } = await setUp()
    expect((await (await signInAs(await world.person())).get(root)).status).toBe(404)
  })
})
