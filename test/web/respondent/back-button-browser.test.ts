import { describe, expect, test } from '@jest/globals'
import { hashPassword } from '../../../src/domain/account/password.ts'
import { respond } from '../../support/respondents.ts'
import { addSurvey, pageOf, single, storedResponses, text } from '../../support/surveys.ts'
import { useChromium } from '../../support/use-chromium.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
const chromium = useChromium()

const why = { ...text('why'), condition: { all: [{ question: 'yes', op: 'eq', value: 0 }] } }
const structure = {
  title: 'T',
  form: [
    pageOf(text('name', { required: true }), text('town'), single('yes', ['Yes', 'No']), why),
    pageOf(text('last')),
  ],
}

describe('the Back button of the browser', () => {
  test.each([true, false])(
    'returns to a page that was rejected before, without its errors and without resubmitting a form (scripts: %p)',
    async (javaScriptEnabled) => {
      const { survey, path } = await addSurvey(await world.person(), structure)
      const page = await chromium.newPage({ viewport: { width: 390, height: 844 }, javaScriptEnabled })
      const next = page.getByRole('button', { name: 'Next', exact: true })
      await page.goto(world.base + path)
      await page.getByLabel('Text town').fill('Dover')
      await next.click()
      await page.getByText('An answer to this question is required.').first().waitFor()
      expect(await page.getByLabel('Text town').inputValue()).toBe('Dover')
      await page.getByLabel('Text name').fill('Kay')
      if (!javaScriptEnabled) {
        await page.getByLabel('Yes', { exact: true }).check({ force: true })
        await next.click()
        await page.getByText('added more questions').waitFor()
      }
      await next.click()
      await page.getByLabel('Text last').waitFor()

      await page.goBack()
      await page.getByLabel('Text name').waitFor()
      expect(await page.getByLabel('Text town').inputValue()).toBe('Dover')
      expect(await page.getByText('is required').count()).toBe(0)
      await page.getByLabel('Text town').fill('Deal')
      await next.click()
      await page.getByLabel('Text last').fill('end')
      await page.getByRole('button', { name: 'Submit', exact: true }).click()
      await page.getByText('Thank you').first().waitFor()
      expect(await storedResponses(world, survey.id)).toMatchObject([
        { completed: 1, answers: { name: 'Kay', town: 'Deal', last: 'end' } },
      ])
    },
  )

  test.each([true, false])(
    'returns to the first page, whose fields it does not restore, and clears no answer (scripts: %p)',
    async (javaScriptEnabled) => {
      const { survey, path } = await addSurvey(await world.person(), structure)
      const page = await chromium.newPage({ javaScriptEnabled })
      const next = page.getByRole('button', { name: 'Next', exact: true })
      await page.goto(world.base + path)
      await page.getByLabel('Text name').fill('Kay')
      await page.getByLabel('Text town').fill('Dover')
      await page.getByLabel('No', { exact: true }).check({ force: true })
      await next.click()
      await page.getByLabel('Text last').waitFor()
      await page.goBack()
      await page.getByLabel('Text name').waitFor()
      expect(await page.getByLabel('Text town').inputValue()).toBe('')
      await next.click()
      await page.waitForURL(/\?page=1/)
      expect(await page.getByLabel('Text town').inputValue()).toBe('Dover')
      await page.getByLabel('Text town').fill('')
      await next.click()
      await page.getByLabel('Text last').waitFor()
      expect((await storedResponses(world, survey.id)).map(({ answers }) => answers)).toEqual([{ name: 'Kay', yes: 1 }])
    },
  )

  test.each([true, false])(
    'and Reload resubmit no form after a wrong password or when the survey is full (scripts: %p)',
    async (javaScriptEnabled) => {
      const settings = { password_hash: await hashPassword('open sesame'), max_responses: 1 }
      const { survey, path } = await addSurvey(await world.person(), structure, settings)
      const page = await chromium.newPage({ viewport: { width: 390, height: 844 }, javaScriptEnabled })
      const submitButton = page.getByRole('button', { name: 'Go to the survey' })
      await page.goto(world.base + path)
      await page.getByLabel('Password').fill('wrong')
      await submitButton.click()
      await page.getByText('The password is incorrect.').waitFor()
      const reloaded = await page.reload()
      expect([reloaded?.status(), reloaded?.request().method()]).toEqual([403, 'GET'])
      await page.getByLabel('Password').fill('open sesame')
      await submitButton.click()
      await page.getByLabel('Text name').fill('Kay')
      await page.goBack()
      await page.getByText('The password is incorrect.').or(page.getByLabel('Text name')).first().waitFor()
      await page.goto(world.base + path)
      await page.getByLabel('Text name').fill('Kay')
      await respond(world, survey.id, { answers: { name: 'Lou' } })
      await page.getByRole('button', { name: 'Next', exact: true }).click()
      await page.getByText('has received enough responses').waitFor()
      expect((await page.reload())?.request().method()).toBe('GET')
    },
  )
})
