import { expect } from '@jest/globals'
import { onEveryScreen } from '../../support/screens.ts'
import { pageOf, single, surveyOf, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

const half = (question: object, width: number, title: string) => ({ ...question, width, title })
const bread = { type: 'single', required: true, choices: [{ label: 'Rye' }, { label: 'Another one', other: true }] }

const laidOut = {
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
      half(text('first', { required: true }), 50, 'First name'),
      half(text('last'), 50, 'Last name, as it stands in your passport'),
      half(single('bread', [], bread), 66, 'Which bread do you eat most?'),
      half({ idname: 'boolean-choice', id: 'toast', children: [{ type: 'boolean' }] }, 33, 'Toasted?'),
      half(text('mail', { validation: { kind: 'email' } }), 25, 'E-mail'),
      half({ idname: 'datetime', id: 'day', children: [{ type: 'datetime', format: 'date' }] }, 33, 'Since'),
      half({ idname: 'dropdown-choice', id: 'how', children: [{ choices: [{ label: 'Warm' }] }] }, 42, 'How?'),
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

onEveryScreen('a survey as its author lays it out', 'columns, languages, pages', async ({ page, clean, press }) => {
  const { path } = await surveyOf(world, await world.person(), laidOut)
  await page.goto(`${world.base}${path}`)
  await clean('survey columns')
  await page.getByText('Language: English').click()
  await page.getByRole('link', { name: 'Français' }).waitFor()
  await clean('survey languages')
  await page.getByText('Language: English').click()
  await page.getByLabel('First name').fill('Ada')
  await page.getByLabel('Another one', { exact: true }).check({ force: true })
  await press('Next')
  await page.getByRole('heading', { name: 'Drinks' }).waitFor()
  await page.getByLabel('Another drink: Please specify').fill('Cocoa')
  await clean('survey pages')
  await press('Page 1 of 3')
  await page.getByLabel('First name').waitFor()
  expect(await page.getByLabel('First name').inputValue()).toBe('Ada')
  await press('Page 2 of 3: Drinks')
  expect(await page.getByLabel('Another drink: Please specify').inputValue()).toBe('Cocoa')
})
