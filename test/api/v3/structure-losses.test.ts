import { beforeAll, describe, expect, test } from '@jest/globals'
import { drinks, drinksStructure } from '../../support/drinks.ts'
import { signInAs } from '../../support/http-browser.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

describe('a structure without a choice that has answers [spec 6.12]', () => {
  test('is saved by updateStructure with a warning for each removed choice, removed question and changed question type', async () => {
    const { uri } = await drinks(ann, drinksStructure(['Tea', 'Coffee', 'Milk']), [
      { drink: 0 },
      { drink: 0 },
      { drink: 1 },
    ])
    const warningsOf = async (structure: object) =>
      (await ann.put(`${uri}structure/?warnings=1`, { json: structure })).body.warnings
    expect(await warningsOf(drinksStructure([{ label: 'Coffee', uid: 1 }]))).toEqual([
      {
        pointer: '/form/0/children/0',
        code: 'answered_choice_removed',
        message: expect.stringContaining('“Tea” was removed from “What would you like?” but has 2 answers.'),
      },
    ])
    expect(await warningsOf(drinksStructure([{ label: 'Coffee', uid: 1 }], 'multiple-choice'))).toMatchObject([
      { pointer: '/form/0/children/0/idname', code: 'answered_question_type_changed' },
    ])
    expect(await warningsOf({ title: 'Drinks', form: [] })).toMatchObject([
      { pointer: '/form', code: 'answered_question_removed', message: expect.stringContaining('has 3 answers') },
    ])
  })

  test('is saved in the editor after a confirmation', async () => {
    const { id, get } = await drinks(ann, drinksStructure(['Tea', 'Coffee']), [{ drink: 0 }])
    const browser = await signInAs(ann)
    const root = `/account/surveys/${id}/edit/json/`
    await browser.get(root)
    const structure = JSON.stringify(drinksStructure([{ label: 'Coffee', uid: 1 }]))
    const confirmation = await browser.post(root, { version: '1', structure })
    expect(confirmation.status).toBe(409)
    expect(confirmation.text).toContain('Your changes have not been published yet.')
    expect(confirmation.text).toContain('“Tea” was removed from')
    expect((await get()).form[0].children[0].choices.length).toBe(2)
    const confirmed = /name="confirmed" value="([^"]+)"/.exec(confirmation.text)![1]!
    expect((await browser.post(root, { version: '1', structure, confirmed })).status).toBe(303)
    expect((await get()).form[0].children[0].choices).toEqual([{ label: { en: 'Coffee' }, uid: 1, score: 2 }])
  })

  test('is saved by updateStructure without a warning when there are no answers', async () => {
    const { uri } = await drinks(ann, drinksStructure(['Tea', 'Coffee']))
    const { body } = await ann.put(`${uri}structure/?warnings=1`, { json: drinksStructure(['Coffee']) })
    expect(body.warnings).toEqual([])
  })
})
