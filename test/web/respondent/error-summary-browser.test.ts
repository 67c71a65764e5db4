import { describe, expect, it } from '@jest/globals'
import { useQuestionType } from '../../support/question-type.ts'

const type = useQuestionType()

describe('the error summary of a survey page', () => {
  it('lists errors in the order of the page, and names the question of a row', async () => {
    const { url } = await type.survey([
      {
        idname: 'single-choice-grid',
        id: 'staff',
        title: 'How was our staff?',
        choices: [{ label: 'Good' }, { label: 'Bad' }],
        children: [{ label: 'Guides', required: true }],
      },
      { idname: 'file-upload', id: 'photo', title: 'Your photo', children: [{ fileTypes: ['image'] }] },
      { idname: 'text-response', id: 'why', title: 'Why?', children: [{ required: true }] },
    ])
    const page = await type.newPage({ javaScriptEnabled: false })
    await page.goto(url)
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') })
    await page.getByRole('button', { name: 'Submit' }).click()
    expect(await page.locator('.summary li').allInnerTexts()).toEqual([
      'How was our staff? – Guides – An answer to this question is required.',
      'Your photo – The file notes.txt has a type that is not accepted.',
      'Why? – An answer to this question is required.',
    ])
  })
})

describe('the text field of a drop-down', () => {
  it.each([true, false])('appears when its choice is selected (scripts: %s)', async (javaScriptEnabled) => {
    const choices = [{ label: 'Berlin' }, { label: 'Elsewhere', other: true }]
    const survey = await type.survey([
      { idname: 'dropdown-choice', id: 'city', title: 'Where do you live?', children: [{ choices }] },
    ])
    const page = await type.newPage({ javaScriptEnabled })
    await page.goto(survey.url)
    const text = page.getByLabel('Elsewhere: Please specify')
    const city = page.getByLabel('Where do you live?')
    expect(await text.isVisible()).toBe(false)
    await city.selectOption('Berlin')
    expect(await text.isVisible()).toBe(false)
    await city.selectOption('Elsewhere')
    await text.fill('Rome')
    await page.getByRole('button', { name: 'Submit' }).click()
    await page.getByText('Thank you').first().waitFor()
    expect(await survey.stored()).toEqual([{ city: 1, 'city\\other': 'Rome' }])
  })
})
