import { expect } from '@jest/globals'
import { onEveryScreen } from '../../support/screens.ts'
import { addSurvey, pageOf, single, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

const resized = (question: object, width: number, title: string) => ({ ...question, width, title })
const bread = { type: 'single', required: true, choices: [{ label: 'Rye' }, { label: 'Another one', other: true }] }

const structure = {
  title: 'Bread and breakfast',
  description: 'Ten minutes about the first meal of the day.',
  firstPageTitleDescription: true,
  languageDisplayStyle: 'dropdown',
  jumping: true,
  languages: [
    { code: 'en', name: 'English', isDefault: true },
    { code: 'fr', name: 'Français', isDefault: false },
  ],
  form: [
    pageOf(
      resized(text('first', { required: true }), 50, 'First name'),
      resized(text('last'), 50, 'Last name, as in your passport'),
      resized(single('bread', [], bread), 66, 'Which bread do you eat most?'),
      resized({ idname: 'boolean-choice', id: 'toast', children: [{ type: 'boolean' }] }, 33, 'Toasted?'),
      resized(text('mail', { validation: { kind: 'email' } }), 25, 'Email'),
      resized({ idname: 'datetime', id: 'day', children: [{ type: 'datetime', format: 'date' }] }, 33, 'Since'),
      resized({ idname: 'dropdown-choice', id: 'how', children: [{ choices: [{ label: 'Warm' }] }] }, 42, 'How?'),
    ),
    {
      ...pageOf({
        idname: 'ranking',
        id: 'drinks',
        title: 'Put these in your order',
        children: [{ choices: [{ label: 'Tea' }, { label: 'Coffee' }, { label: 'Another drink', other: true }] }],
      }),
      title: 'Drinks',
    },
    pageOf(text('end')),
  ],
}

onEveryScreen(
  'a survey with display options',
  'shows columns, languages and links to its pages',
  async ({ page, expectClean, press }) => {
    const { path } = await addSurvey(await world.person(), structure)
    await page.goto(`${world.base}${path}`)
    await expectClean('survey-columns')
    await page.getByText('Language: English').click()
    await page.getByRole('link', { name: 'Français' }).waitFor()
    await expectClean('survey-languages')
    await page.getByText('Language: English').click()
    await page.getByLabel('First name').fill('Ada')
    await page.getByLabel('Another one', { exact: true }).check({ force: true })
    await press('Next')
    await page.getByRole('heading', { name: 'Drinks' }).waitFor()
    await page.getByLabel('Another drink: Please specify').fill('Cocoa')
    await expectClean('survey-page-links')
    await press('Page 1 of 3')
    await page.getByLabel('First name').waitFor()
    expect(await page.getByLabel('First name').inputValue()).toBe('Ada')
    await press('Page 2 of 3: Drinks')
    expect(await page.getByLabel('Another drink: Please specify').inputValue()).toBe('Cocoa')
  },
)
