import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../support/world.ts'
import { answersOf, notesOf, proofsOf, sendFiles } from './world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const item = (itemId: string, title: string, question: object, questionId = `id${itemId}`) => ({
  itemId,
  title,
  questionItem: { question: { questionId, ...question } },
})
const options = (...values: string[]) => [...values.map((value) => ({ value })), { isOther: true }]
const FORM = JSON.stringify({
  formId: 'f',
  info: { title: 'Lunch', documentTitle: 'Lunch form' },
  items: [
    item('1', 'What?', { required: true, choiceQuestion: { type: 'RADIO', options: options('Soup', 'Bread') } }),
    item('2', 'With?', { choiceQuestion: { type: 'CHECKBOX', options: options('Salt, fine', 'Pepper') } }),
    { itemId: '3', title: 'Page two', pageBreakItem: {} },
    item('4', 'Stars?', { scaleQuestion: { low: 1, high: 5, lowLabel: 'bad' } }),
    item('5', 'When?', { dateQuestion: { includeYear: true } }),
    item('6', 'Why?', { textQuestion: { paragraph: true } }),
    {
      itemId: '7',
      title: 'Rate',
      questionGroupItem: {
        grid: { columns: { type: 'RADIO', options: [{ value: 'Poor' }, { value: 'Good' }] } },
        questions: [{ questionId: 'row1', rowQuestion: { title: 'Speed' } }],
      },
    },
    { itemId: '8', title: 'A film', videoItem: {} },
  ],
})
const text = (...values: string[]) => ({ textAnswers: { answers: values.map((value) => ({ value })) } })
const RESPONSES = JSON.stringify({
  responses: [
    {
      createTime: '2026-02-03T10:00:00.123Z',
      answers: {
        id1: text('Soup'),
        id2: text('Salt, fine', 'Chili'),
        id4: text('4'),
        id5: text('2026-01-31'),
        id6: text('So'),
        row1: text('Good'),
      },
    },
    { createTime: '2026-02-03T11:00:00Z', answers: { id1: text('Fish'), id4: text('7'), row1: text('Fair') } },
  ],
})
const CSV = [
  'Timestamp,What?,With?,Stars?,When?,Why?,Rate [Speed],Score',
  '2026/02/03 10:00:00,Soup,"Salt, fine, Chili",4,31/01/2026,So,Good,1',
  '2026/02/03 11:00:00,Fish,,7,3/4/2026,,Fair,2',
].join('\n')
const ANSWERS = [
  { '1': 0, '2': [0, 2], '2\\other': 'Chili', '4': 4, '5': '2026-01-31', '6': 'So', '7_0': 1 },
  { '1': 2, '1\\other': 'Fish' },
]

describe('importSurvey', () => {
  test.each([
    ['the JSON of the Forms API', RESPONSES, ['answer_not_a_choice 4 id4:2 7', 'answer_not_a_choice 7 row1:2 Fair']],
    [
      'a CSV file',
      CSV,
      [
        'column_ignored Score',
        'time_zone_assumed :2 ×2',
        'answer_not_a_choice 4 Stars?:3 7',
        'answer_not_accepted 5 When?:3 3/4/2026',
        'answer_not_a_choice 7 Rate [Speed]:3 Fair',
      ],
    ],
  ])('imports a form of Google with its responses as %s [spec 5.16]', async (_, responses, notes) => {
    const { status, body } = await sendFiles(ann, { form: FORM, responses })
    expect([status, body.format, body.title, body.stored]).toEqual([201, 'googleforms', 'Lunch', 2])
    expect(notesOf(body.notes).sort()).toEqual(
      ['type_not_supported A film videoItem', 'language_assumed', ...notes].sort(),
    )
    expect(await answersOf(ann, body.survey_uri)).toEqual(ANSWERS)
    expect(proofsOf(body.proofs)[0]).toBe('1 2=2 Soup>Soup 1=1, Bread>Bread 0=0, __other_option__>Other 1=1')
  })

  test('infers the questions from a CSV file alone', async () => {
    const rows = Array.from(
      { length: 8 },
      (_, index) => `2026/02/03 10:00:0${index},${index % 2 ? 'Soup' : 'Bread'},${index},text ${index}`,
    )
    const { body } = await sendFiles(ann, { csv: ['Timestamp,What?,How much?,Why?', ...rows].join('\n') })
    expect(notesOf(body.notes)).toEqual([
      'language_assumed',
      'choices_inferred What? What? single',
      'type_inferred How much? How much? number',
      'type_inferred Why? Why? text',
      'time_zone_assumed :2 ×8',
    ])
    expect(proofsOf(body.proofs)).toEqual(['q1 8=8 Bread>Bread 4=4, Soup>Soup 4=4', 'q2 8=8 Σ28=28', 'q3 8=8'])
  })
})
