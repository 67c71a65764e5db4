import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../support/world.ts'
import { answersOf, notesOf, proofsOf, sendFiles } from './world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

type Row = Record<string, string | number>
const element = (name: string, value: string | number) => `<${name}><![CDATA[${value}]]></${name}>`
const section = (name: string, rows: Row[]) =>
  `<${name}><rows>${rows
    .map(
      (row) =>
        `<row>${Object.entries(row)
          .map(([key, value]) => element(key, value))
          .join('')}</row>`,
    )
    .join('')}</rows></${name}>`
const documentOf = (kind: string, ...sections: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?><document><LimeSurveyDocType>${kind}</LimeSurveyDocType><DBVersion>606</DBVersion>${sections.join('')}</document>`

let qid = 0
const ids = new Map<string, number>()
const question = (title: string, type: string, more: Row = {}) => {
  ids.set(title, ++qid)
  return {
    qid,
    parent_qid: 0,
    gid: 3,
    type,
    title,
    mandatory: 'N',
    other: 'N',
    question_order: qid,
    relevance: '1',
    ...more,
  }
}
const QUESTIONS = [
  question('drink', 'L', { mandatory: 'Y', other: 'Y' }),
  question('with', 'M', { relevance: '((drink.NAOK == "A1" or drink.NAOK == "A2"))' }),
  question('cups', 'N', { relevance: 'with_SQ1.NAOK == "Y" && drink != "A2"' }),
  question('glasses', 'N', { relevance: 'cups >= 2' }),
  question('more', 'T', { relevance: 'glasses > cups', gid: 4 }),
  question('again', 'Y', { gid: 4, relevance: 'strlen(more) > 3' }),
  question('taste', 'F', { gid: 4 }),
  question('order', 'R', { gid: 4 }),
  question('born', 'D', { gid: 4 }),
  question('photo', '|', { gid: 4 }),
  question('language', 'I', { gid: 4 }),
]
const of = (title: string) => ids.get(title)!
const SUBQUESTIONS = [
  ['with', 'SQ1', 'Milk'],
  ['with', 'SQ2', 'Sugar'],
  ['taste', 'hot', 'Hot'],
  ['taste', 'cold', 'Cold'],
].map(([parent, title, text], index) => ({
  qid: 100 + index,
  parent_qid: of(parent!),
  title: title!,
  question_order: index,
  scale_id: 0,
  text: text!,
}))
const ANSWERS = [
  ['drink', 'A1', 'Coffee'],
  ['drink', 'A2', 'Tea'],
  ['taste', '1', 'Bad'],
  ['taste', '2', 'Good'],
  ['order', 'x', 'First'],
  ['order', 'y', 'Second'],
].map(([title, code, answer], index) => ({
  aid: index,
  qid: of(title!),
  code: code!,
  sortorder: index,
  scale_id: 0,
  answer: answer!,
}))

const SURVEY = documentOf(
  'Survey',
  section('surveys', [{ sid: 7, language: 'en', additional_languages: 'de' }]),
  section('surveys_languagesettings', [
    { surveyls_language: 'en', surveyls_title: 'Drinks &amp; more' },
    { surveyls_language: 'de', surveyls_title: 'Getränke' },
  ]),
  section('groups', [
    { gid: 4, group_order: 2, grelevance: '' },
    { gid: 3, group_order: 1, grelevance: '' },
  ]),
  section('group_l10ns', [{ gid: 3, group_name: 'One', description: '', language: 'en' }]),
  section('questions', QUESTIONS),
  section('subquestions', SUBQUESTIONS),
  section('question_l10ns', [
    ...QUESTIONS.flatMap(({ qid: id, title }) => [
      { qid: id, question: title === 'more' ? 'More than {cups}?' : `About ${title}`, help: '', language: 'en' },
      { qid: id, question: `Über ${title}`, help: '', language: 'de' },
    ]),
    ...SUBQUESTIONS.map(({ qid: id, text }) => ({ qid: id, question: text, language: 'en' })),
  ]),
  section('answers', ANSWERS),
  section(
    'answer_l10ns',
    ANSWERS.map(({ aid, answer }) => ({ aid, answer, language: 'en' })),
  ),
  section('question_attributes', [{ qid: of('cups'), attribute: 'min_num_value_n', value: '0' }]),
  section('quota', [{ id: 1, name: 'Coffee', qlimit: 5, active: 1 }]),
  section('quota_members', [{ quota_id: 1, qid: of('drink'), code: 'A1' }]),
)
const name = (title: string, part = '') => `_7X${QUESTIONS.find((one) => one.title === title)!.gid}X${of(title)}${part}`
const RESPONSES = documentOf(
  'Responses',
  section('responses', [
    {
      ...{
        id: 1,
        submitdate: '2026-02-03 10:00:00',
        startlanguage: 'de',
        [name('drink')]: 'A1',
        [name('with', 'SQ1')]: 'Y',
      },
      ...{
        [name('cups')]: '3.5000000000',
        [name('taste', 'hot')]: '2',
        [name('order', '1')]: 'y',
        [name('order', '2')]: 'x',
      },
      ...{ [name('born')]: '1980-05-06 00:00:00', [name('again')]: 'N', [name('photo')]: '[]' },
    },
    {
      id: 2,
      [name('drink')]: '-oth-',
      [name('drink', 'other')]: 'Juice',
      [name('with', 'SQ2')]: 'Y',
      [name('more')]: 'a < b',
    },
    { id: 3, submitdate: '1980-01-01 00:00:00', [name('drink')]: 'A9', [name('cups')]: 'x', gone: '1' },
  ]),
)

const PROOF = [
  'drink 3=2 A1>Coffee 1=1, A2>Tea 0=0, -oth->Other 1=1, A9>null 1=0 differs',
  'drink\\other 1=1',
  'with 2=2 SQ1>Milk 1=1, SQ2>Sugar 1=1',
]

describe('importSurvey', () => {
  test('imports a survey archive of LimeSurvey [spec 5.16]', async () => {
    const { status, body } = await sendFiles(ann, { 'survey_7.lss': SURVEY, 'survey_7_responses.lsr': RESPONSES })
    expect([status, body.format, body.title, body.stored]).toEqual([201, 'limesurvey', 'Drinks & more', 3])
    expect(notesOf(body.notes)).toEqual([
      'condition_not_supported again strlen(more) > 3',
      'file_not_imported photo',
      'type_not_supported language I',
      'column_ignored gone',
      'time_zone_assumed :1',
      'answer_not_a_choice drink _7X3X1:3 A9',
      'answer_not_accepted cups _7X3X3:3 x',
    ])
    expect(proofsOf(body.proofs)).toEqual([
      ...PROOF,
      'cups 2=1 Σ3.5=3.5 differs',
      'glasses 0=0 Σ0=0',
      'more 1=1',
      'again 1=1 Y>Yes 0=0, N>No 1=1',
      'taste_0 1=1 1>Bad 0=0, 2>Good 1=1',
      'taste_1 0=0 1>Bad 0=0, 2>Good 0=0',
      'order 1=1 x>First 1=1, y>Second 1=1',
      'born 1=1',
    ])
    expect(await answersOf(ann, body.survey_uri)).toEqual([
      { drink: 0, with: [0], cups: 3.5, again: false, taste_0: 1, order: [1, 0], born: '1980-05-06' },
      { drink: 2, 'drink\\other': 'Juice', with: [1], more: 'a < b' },
      {},
    ])
    const path = new URL(body.survey_uri).pathname
    const { results } = (await ann.get(`${path}responses/`)).body
    expect(results.map((one: Record<string, unknown>) => [one._completed, one._created_at, one._language])).toEqual([
      [1, expect.stringContaining('2026-02-03T10:00:00'), 'de'],
      [0, expect.anything(), ''],
      [1, expect.anything(), ''],
    ])
    const structure = (await ann.get(`${path}structure/`)).body
    const rules = Object.fromEntries(
      structure.form.flatMap(({ children }: { children: { id: string; condition?: unknown }[] }) =>
        children.flatMap(({ id, condition }) => (condition ? [[id, condition]] : [])),
      ),
    )
    expect(rules).toEqual({
      with: {
        any: [
          { question: 'drink', op: 'eq', code: 'A1' },
          { question: 'drink', op: 'eq', code: 'A2' },
        ],
      },
      cups: {
        all: [
          { question: 'with', op: 'contains', code: 'SQ1' },
          { question: 'drink', op: 'ne', code: 'A2' },
        ],
      },
      glasses: {
        any: [
          { question: 'cups', op: 'gt', value: 2 },
          { question: 'cups', op: 'eq', value: 2 },
        ],
      },
      more: { all: [{ question: 'glasses', op: 'gt', answer: 'cups' }] },
    })
    expect(structure.form[1].children[0].title).toEqual({ en: 'More than {{ cups }}?', de: 'Über more' })
    expect(structure.quotas).toEqual([
      {
        name: 'Coffee',
        limit: 5,
        action: 'terminate',
        when: { all: [{ question: 'drink', op: 'eq', code: 'A1' }] },
      },
    ])
  })

  test('imports a survey structure of LimeSurvey with its CSV file, which has codes or labels', async () => {
    const csv = [
      '"id. Response ID";"submitdate";"drink. About drink";"drink[other]";"with[SQ1]";"with[SQ2]";"cups"',
      '"1";"2026-02-03 10:00:00";"Coffee";"";"Yes";"No";"1,5"',
      '"2";"";"A2";"";"N/A";"";""',
      '"3";"";"-oth-";"Juice";"maybe";"";""',
    ].join('\n')
    const { body } = await sendFiles(ann, { 'a.lss': SURVEY, 'results.csv': csv })
    expect(notesOf(body.notes).filter((note) => note.includes(':'))).toEqual([
      'time_zone_assumed :2',
      'answer_not_a_choice with with[SQ1]:4 maybe',
    ])
    expect(await answersOf(ann, body.survey_uri)).toEqual([
      { drink: 0, with: [0], cups: 1.5 },
      { drink: 1 },
      { drink: 2, 'drink\\other': 'Juice' },
    ])
  })

  test('says why files of LimeSurvey cannot be imported', async () => {
    const send = async (files: Record<string, string>) => {
      const { status, body } = await sendFiles(ann, files)
      return [status, body.errors?.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`)]
    }
    expect(await send({ a: RESPONSES })).toEqual([400, ['file survey_file_missing']])
    expect(await send({ a: SURVEY.slice(0, 900) })).toEqual([400, ['file damaged_survey_file']])
    const entities = SURVEY.replace('<document>', '<!DOCTYPE d [<!ENTITY a "x">]><document>')
    expect(await send({ a: entities })).toEqual([400, ['file damaged_survey_file']])
    const deep = SURVEY.replace('</document>', `${'<a>'.repeat(70)}${'</a>'.repeat(70)}</document>`)
    expect(await send({ a: deep })).toEqual([400, ['file too_deep']])
    expect(await send({ a: SURVEY, b: 'id,drink,cups\n1,"A1' })).toEqual([400, ['b damaged_survey_file']])
  })
})
