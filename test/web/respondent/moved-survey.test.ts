import { expect, test } from '@jest/globals'
import { pageOf, restructure, sendForm, single, surveyOf } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

test('stores the choice that the respondent saw, even if the survey was edited after the page was opened', async () => {
  const person = await world.person()
  const asking = (...bread: string[]) => ({ title: 'Bread', form: [pageOf(single('bread', bread))] })
  const { survey, path } = await surveyOf(world, person, asking('Rye', 'Wheat', 'Spelt'))
  const [moved, removed] = [await world.anonymous.get(path), await world.anonymous.get(path)]
  const chosen = (page: { text: string }, label: string) =>
    new RegExp(`value="(\\d+)"[^>]*><label[^>]*>${label}`).exec(page.text)![1]!
  await restructure(world, person, survey.id, asking('Barley', 'Wheat', 'Rye', 'Spelt'))
  expect((await sendForm(world.anonymous, moved, { bread: chosen(moved, 'Rye') })).status).toBe(303)
  await restructure(world, person, survey.id, asking('Barley', 'Wheat', 'Rye'))
  expect((await sendForm(world.anonymous, removed, { bread: chosen(removed, 'Spelt') })).status).toBe(303)
  const { body } = await person.get(`/api/v3/surveys/${survey.id}/responses/?include_labels`)
  expect(body.results.map(({ bread }: { bread: string }) => bread)).toEqual(['Rye', 'Spelt'])
})
