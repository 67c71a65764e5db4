import { beforeAll, describe, expect, test } from '@jest/globals'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let address: string
beforeAll(async () => {
  ann = await world.person()
  address = `/api/v2/surveys/${await makeSurvey(ann)}/responses/`
})

const labels = (...texts: string[]) => texts.map((label) => ({ label }))
/** Questions whose answers can each be invalid in a different way. */
const ORDERED = {
  title: 'Ordered',
  form: [
    {
      type: 'page',
      children: [
        { idname: 'text-response', id: 'name', title: 'Name', children: [{ type: 'string', required: true }] },
        {
          idname: 'single-choice',
          id: 'colour',
          title: 'Colour',
          children: [{ type: 'single', required: true, choices: [{ label: 'Red' }, { label: 'Other', other: true }] }],
        },
        {
          idname: 'multiple-choice',
          id: 'few',
          title: 'Few',
          children: [{ type: 'multiple', maxSelected: 1, choices: labels('A', 'B') }],
        },
        {
          idname: 'single-choice-grid',
          id: 'rows',
          title: 'Rows',
          choices: labels('Good', 'Bad'),
          children: [
            { type: 'single', label: 'Food', required: true },
            { type: 'single', label: 'Drink', required: true },
          ],
        },
        {
          idname: 'text-response',
          id: 'mail',
          title: 'Mail',
          children: [{ type: 'string', validation: { kind: 'email' } }],
        },
      ],
    },
  ],
}

describe('createResponse: 500 survey_error', () => {
  test('lists missing and invalid answers in one array, in the order of the structure', async () => {
    const id = await makeSurvey(ann, ORDERED)
    const reply = await ann.post(`/api/v2/surveys/${id}/responses/`, {
      json: { nosuch: 'x', mail: 'none', rows_0: '0', colour: '3', 'colour\\other': 'Mauve', few: ['0', '1'] },
    })
    expect([reply.status, reply.body]).toEqual([
      500,
      {
        code: 'survey_error',
        description: [
          ['name', 'An answer to this question is required.'],
          ['colour', '"3" is not a valid choice for the field.'],
          ['few', 'must have at most 1 choice'],
          ['rows_1', 'An answer to this question is required.'],
          ['mail', expect.stringMatching(/email/)],
          ['nosuch', '“nosuch” is not a question of this survey'],
        ],
      },
    ])
  })

  test('lists every invalid answer in addition to the first 100 of 200 unknown questions', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`unknown${n}`, 'x']))
    const { description } = (await ann.post(address, { json: { ...unknown, q2: 'Pink' } })).body
    expect(description).toHaveLength(102)
    expect(description.slice(0, 2)).toEqual([
      ['q1', 'An answer to this question is required.'],
      ['q2', '"Pink" is not a valid choice for the field.'],
    ])
  })

  test('lists all errors of a response that is sent again under its key', async () => {
    const { key } = (await ann.post(address, { json: {} })).body
    const { description } = (await ann.post(address, { json: { q2: 'Pink', _key: key } })).body
    expect(description.map(([field]: [string]) => field)).toEqual(['q1', 'q2'])
  })
})
