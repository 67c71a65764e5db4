import { describe, expect, it } from '@jest/globals'
import { makeSurvey } from '../support/responses.ts'
import { onEveryScreen } from '../support/screens.ts'
import { press, signInOn, useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'
import { breakfastSurvey } from './sample-surveys.ts'

const world = useWorld()
const chromium = useChromium()

describe('the builder without scripts', () => {
  it('makes a survey of several questions, which a respondent answers', async () => {
    const owner = await world.person()
    const page = await chromium.newPage({ viewport: { width: 360, height: 780 }, javaScriptEnabled: false })
    await page.goto(`${world.base}/account/surveys/new/`)
    await signInOn(page, owner)
    await page.getByLabel('Name', { exact: true }).fill('Lunch')
    await press(page, 'Create survey')

    await page.getByLabel('Add a question').selectOption('Single choice')
    await page.getByRole('button', { name: /^Add/ }).click()
    await page.getByLabel('Question', { exact: true }).fill('Which soup?')
    await page.getByLabel('Choice 1', { exact: true }).fill('Tomato')
    await page.getByLabel('Choice 2', { exact: true }).fill('Leek')
    await page.getByLabel('Add choices').fill('Pumpkin\nNone')
    await page.getByLabel('Required').check()
    await press(page, 'Save')
    await page.getByText('Question saved to the draft.').waitFor()

    await press(page, 'Add a page')
    await page.getByLabel('Add a question to page 2').selectOption('Text')
    await page.getByRole('button', { name: 'Add question to page 2' }).click()
    await page.getByLabel('Question', { exact: true }).fill('Anything else?')
    await press(page, 'Save')
    await page.getByRole('button', { name: 'Move up “Anything else?”' }).click()
    await page.getByText('“Anything else?” moved up to position 2 of page 1.').waitFor()
    await page.locator('summary', { hasText: 'More actions for “Which soup?”' }).click()
    await page.getByRole('button', { name: 'Delete “Which soup?”' }).click()
    await page.getByText('“Which soup?” deleted. Select Undo to restore it.').waitFor()
    await page.getByRole('button', { name: /^Undo/ }).click()
    await page.getByRole('link', { name: 'Which soup?', exact: true }).waitFor()
    await press(page, 'Publish and open')
    await page.getByText('Published. The survey is open: share its link.').waitFor()

    const respondent = await chromium.newPage()
    await respondent.goto((await page.getByRole('link', { name: 'View survey' }).getAttribute('href'))!)
    await respondent.getByLabel('Pumpkin').check({ force: true })
    await respondent.getByLabel('Anything else?').fill('No, thank you')
    await press(respondent, 'Submit')
    await respondent.getByText('Thank you').first().waitFor()
    const { body } = await owner.get(
      `/api/v3/surveys/${/surveys\/(\d+)/.exec(page.url())![1]}/responses/?include_labels=1`,
    )
    expect(Object.values(body.results[0])).toEqual(expect.arrayContaining(['Pumpkin', 'No, thank you']))
  }, 90_000)
})

describe('the pages of the builder', () => {
  it('show the value of a rule only if the rule compares an answer with it', async () => {
    const owner = await world.person()
    const question = (idname: string, id: string) => ({ idname, id, title: `${id}?`, children: [{}] })
    const form = [{ children: [question('number', 'age'), question('text-response', 'why')] }]
    const id = await makeSurvey(owner, { title: 'T', form })
    const page = await chromium.newPage({ javaScriptEnabled: false })
    await page.goto(`${world.base}/account/surveys/${id}/edit/condition/?id=why`)
    await signInOn(page, owner)
    await page.getByLabel('Depending on the answer to').selectOption('age?')
    await press(page, 'Add rule')
    const value = page.locator('[name="rule.0.value"]')
    await expect(value.isVisible()).resolves.toBe(false)
    await page.getByLabel('Comparison of rule 1').selectOption('is less than')
    await expect(value.isVisible()).resolves.toBe(true)
    await value.fill('18')
    await press(page, 'Save')
    await page.getByText('Condition saved to the draft.').waitFor()
  })

  it('with long words, are not wider than 320 pixels, nor than a desktop window at a zoom of 200 percent', async () => {
    const owner = await world.person()
    const word = 'Donaudampfschifffahrtsgesellschaft'.repeat(4)
    const [choices, condition] = [[{ label: word }, { label: word }], { question: 'a', op: 'eq', value: 0 }]
    const id = await makeSurvey(owner, {
      title: word,
      description: word,
      languages: [
        { code: 'en', name: 'English', isDefault: true },
        { code: 'de', name: word.slice(0, 60), isDefault: false },
      ],
      form: [
        { title: word, children: [{ idname: 'single-choice', id: 'a', title: word, children: [{ choices }] }] },
        {
          title: word,
          skip: [{ when: condition, to: 'complete' }],
          children: [{ idname: 'text-response', id: 'b', title: `{{ a }}${word}`, condition }],
        },
      ],
      quotas: [{ name: word, limit: 10, action: 'close', when: condition }],
    })
    const page = await chromium.newPage({ viewport: { width: 320, height: 640 } })
    const root = `${world.base}/account/surveys/${id}/edit/`
    await page.goto(root)
    await signInOn(page, owner)
    const wide: string[] = []
    for (const path of [
      ...['', 'question/?id=a', 'question/?id=b', 'condition/?id=b', 'condition/?page=1&skip=0', 'condition/?quota=0'],
      ...['skips/?page=1', 'quotas/', 'page/?page=1', 'survey/', 'languages/', 'languages/translate/?to=de'],
    ]) {
      await page.goto(root + path)
      for (const [width, height] of [
        [320, 640],
        [640, 450],
      ] as const) {
        await page.setViewportSize({ width, height })
        if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) wide.push(`${path} at ${width}`)
      }
    }
    expect(wide).toEqual([])
  }, 90_000)
})

onEveryScreen('the builder', 'has no accessibility violations', async ({ page, expectClean, press: pressButton }) => {
  const person = await world.person()
  const id = await makeSurvey(person, {
    ...breakfastSurvey,
    form: [...breakfastSurvey.form, { children: [{ idname: 'star-map', id: 'map', title: 'Where?' }] }],
  })
  const root = `${world.base}/account/surveys/${id}/edit/`
  await page.goto(root)
  await signInOn(page, person)
  await page.getByRole('heading', { name: 'Questions' }).waitFor()
  await expectClean('builder')
  for (const question of ['bread', 'with', 'toast', 'grid', 'when', 'mail', 'nps']) {
    await page.goto(`${root}question/?id=${question}`)
    await expectClean(`builder-${question}`)
  }
  await page.goto(`${root}languages/`)
  await expectClean('builder-languages')
  await page.goto(`${root}languages/translate/?to=fr`)
  await expectClean('builder-translate')
  await page.goto(`${root}skips/?page=0`)
  await expectClean('builder-skips')
  await page.goto(`${root}condition/?id=with`)
  await expectClean('builder-condition')
  await page.goto(`${root}quotas/`)
  await page.getByLabel('Quotas to add').selectOption({ index: 1 })
  await page.getByLabel('Limit').fill('100')
  await pressButton('Add quota')
  await page.getByText('quotas added.').waitFor()
  await expectClean('builder-quotas')
  await page.goto(`${root}condition/?quota=0`)
  await expectClean('builder-quota')
  await page.goto(`${root}page/?page=0`)
  await expectClean('builder-page')
  await page.getByLabel('Title').fill('Bread')
  await pressButton('Save')
  await page.getByText('Page 1 edited.').waitFor()
  await expectClean('builder-draft')
  await page.getByRole('link', { name: 'Discard…' }).click()
  await page.getByText('You cannot undo this.').waitFor()
  await expectClean('builder-discard')
})
