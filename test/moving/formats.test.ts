import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../support/world.ts'
import { answersOf, notesOf, proofsOf, sendFiles } from './world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

interface Case {
  files: Record<string, string>
  format: string
  notes: string[]
  answers: object[]
  proofs: string[]
  /** Conditions by question. */
  conditions?: object
}

const typeformField = (id: string, type: string, title: string, properties: object = {}) => ({
  ...{ id, ref: `ref-${id}`, type, title, properties },
})
const TYPEFORM: Case = {
  format: 'typeform',
  files: {
    form: JSON.stringify({
      id: 'f',
      title: 'Party',
      settings: { language: 'en' },
      hidden: ['source'],
      fields: [
        typeformField('a', 'multiple_choice', 'Drink?', {
          allow_other_choice: true,
          choices: [{ label: 'Tea' }, { label: 'Milk' }],
        }),
        typeformField('b', 'multiple_choice', 'More than {{field:ref-a}}?', {
          allow_multiple_selection: true,
          choices: [{ label: 'Cake' }, { label: 'Pie' }],
        }),
        typeformField('g', 'group', 'You', {
          fields: [typeformField('c', 'number', 'Age?'), typeformField('d', 'yes_no', 'Again?')],
        }),
        typeformField('e', 'nps', 'Recommend?', { steps: 11 }),
        typeformField('p', 'payment', 'Pay'),
      ],
      logic: [{ type: 'field', ref: 'ref-a', actions: [] }],
    }),
    responses: JSON.stringify({
      items: [
        {
          landed_at: '2026-02-03T10:00:00Z',
          submitted_at: '2026-02-03T10:01:00Z',
          hidden: { source: 'web' },
          answers: [
            { field: { id: 'a', type: 'multiple_choice' }, type: 'choice', choice: { label: 'Tea' } },
            { field: { id: 'b', type: 'multiple_choice' }, type: 'choices', choices: { labels: ['Cake', 'Pie'] } },
            { field: { id: 'c', type: 'number' }, type: 'number', number: 42 },
            { field: { id: 'd', type: 'yes_no' }, type: 'boolean', boolean: false },
            { field: { id: 'e', type: 'nps' }, type: 'number', number: 12 },
            { field: { id: 'p', type: 'payment' }, type: 'payment', payment: { amount: '3' } },
          ],
        },
        { answers: [{ field: { id: 'a', type: 'multiple_choice' }, type: 'choice', choice: { other: 'Rum' } }] },
      ],
    }),
  },
  notes: [
    'type_not_supported ref-p payment',
    'skip_not_supported ref-a',
    'answer_not_a_choice ref-e Recommend?:1 12',
    'answer_without_question p:1',
  ],
  answers: [
    { source: 'web', 'ref-a': 0, 'ref-b': [0, 1], 'ref-c': 42, 'ref-d': false },
    { 'ref-a': 2, 'ref-a\\other': 'Rum' },
  ],
  proofs: ['source 1=1', 'ref-a 2=2 Tea>Tea 1=1, Milk>Milk 0=0, other>Other 1=1'],
}

const DICTIONARY_HEADER =
  'Variable / Field Name,Form Name,Section Header,Field Type,Field Label,"Choices, Calculations, OR Slider Labels",Field Note,Text Validation Type OR Show Slider Number,Text Validation Min,Text Validation Max,Identifier?,Branching Logic (Show field only if...),Required Field?,Custom Alignment,Question Number (surveys only),Matrix Group Name,Matrix Ranking?,Field Annotation'
const REDCAP: Case = {
  format: 'redcap',
  files: {
    dictionary: [
      DICTIONARY_HEADER,
      'record_id,visit,,text,Record,,,,,,,,,,,,,',
      'smoke,visit,Habits,radio,<b>Smoke?</b>,"1, Yes | 2, No | -1, Not, known",,,,,,,y,,,,,',
      'what,visit,,checkbox,What?,"1, Pipe | -1, Other",,,,,,[smoke] = \'1\',,,,,,',
      "many,visit,,text,How many?,,,integer,0,100,,\"[what(-1)] = '1' and [smoke] <> '2'\",,,,,,",
      'pain,visit,Pain,radio,Head,"0, None | 1, Some",,,,,,,,,,pains,,',
      'ache,visit,,radio,Back,"0, None | 1, Some",,,,,,,,,,pains,,',
      'born,visit,,text,Born,,,date_dmy,,,,datediff([born]) > 3,,,,,,@HIDDEN',
    ].join('\n'),
    data: [
      'record_id,redcap_event_name,smoke,what___1,what____1,many,pain,ache,born,visit_complete',
      '1,a,1,1,1,20,0,1,2026-01-31,2',
      '2,a,3,0,0,ten,,1,,0',
    ].join('\n'),
  },
  notes: [
    'language_assumed',
    'formatting_removed smoke <b>Smoke?</b>',
    'setting_not_supported born @HIDDEN',
    'condition_not_supported born datediff([born]) > 3',
    'column_ignored redcap_event_name',
    'answer_not_a_choice smoke smoke:3 3',
    'answer_not_accepted many many:3 ten',
  ],
  answers: [
    { record_id: '1', smoke: 0, what: [0, 1], many: 20, pains_0: 0, pains_1: 1, born: '2026-01-31' },
    { record_id: '2', pains_1: 1 },
  ],
  proofs: [
    'record_id 2=2',
    'smoke 2=1 1>Yes 1=1, 2>No 0=0, -1>Not, known 0=0, 3>null 1=0 differs',
    'what 1=1 1>Pipe 1=1, -1>Other 1=1',
  ],
  conditions: {
    what: { all: [{ question: 'smoke', op: 'eq', code: '1' }] },
    many: {
      all: [
        { question: 'what', op: 'contains', code: '-1' },
        { question: 'smoke', op: 'ne', code: '2' },
      ],
    },
  },
}

const row = (...cells: string[]) => cells.map((cell) => `"${cell}"`).join(',')
const SURVEYMONKEY: Case = {
  format: 'surveymonkey',
  files: {
    export: [
      row(
        'Respondent ID',
        'Collector ID',
        'Start Date',
        'End Date',
        'IP Address',
        'Like?',
        '',
        'Which?',
        '',
        '',
        'Rate',
        '',
        'Why?',
      ),
      row(
        '',
        '',
        '',
        '',
        '',
        'Response',
        'Other (please specify)',
        'Red',
        'Blue',
        'Other',
        'Speed',
        'Price',
        'Open-Ended Response',
      ),
      row(
        '10000001',
        '1',
        '02/03/2026 10:00:00 AM',
        '02/03/2026 10:01:00 AM',
        '',
        'Yes',
        '',
        'Red',
        '',
        'Green',
        'Good',
        'Bad',
        'Because',
      ),
      row(
        '10000002',
        '1',
        '02/03/2026 11:00:00 AM',
        '02/03/2026 11:01:00 AM',
        '',
        '',
        'Maybe',
        'Red',
        'Blue',
        '',
        'Bad',
        'Good',
        '',
      ),
    ].join('\n'),
  },
  notes: [
    'language_assumed',
    'choices_inferred Like? Like? single',
    'choices_inferred Rate grid',
    'type_inferred Why? Why? text',
    'time_zone_assumed :3 ×2',
  ],
  answers: [
    { q1: 0, q2: [0, 2], 'q2\\other': 'Green', q3_0: 1, q3_1: 0, q4: 'Because' },
    { q1: 1, 'q1\\other': 'Maybe', q2: [0, 1], q3_0: 0, q3_1: 1 },
  ],
  proofs: [
    'q1 2=2 Yes>Yes 1=1, Other (please specify)>Other (please specify) 1=1',
    'q1\\other 1=1',
    'q2 2=2 Red>Red 2=2, Blue>Blue 1=1, Other>Other 1=1',
  ],
}

const coding = (code: string, display: string) => ({ valueCoding: { system: 's', code, display } })
const FHIR: Case = {
  format: 'fhir',
  files: {
    form: JSON.stringify({
      resourceType: 'Questionnaire',
      language: 'en',
      title: 'Visit',
      contained: [
        {
          resourceType: 'ValueSet',
          id: 'places',
          compose: { include: [{ concept: [{ code: 'h', display: 'Home' }] }] },
        },
      ],
      item: [
        { linkId: '1', text: 'Ill?', type: 'boolean', required: true },
        {
          linkId: '2',
          text: 'More',
          type: 'group',
          enableWhen: [{ question: '1', operator: '=', answerBoolean: true }],
          item: [
            { linkId: '2.1', text: 'Where?', type: 'choice', answerValueSet: '#places' },
            {
              linkId: '2.2',
              text: 'How?',
              type: 'open-choice',
              repeats: true,
              answerOption: [coding('a', 'Aching'), coding('b', 'Burning')],
            },
            {
              linkId: '2.3',
              text: 'How long?',
              type: 'integer',
              enableWhen: [{ question: '2.2', operator: '=', answerCoding: { code: 'a' } }],
            },
          ],
        },
        { linkId: '3', text: 'Who?', type: 'reference' },
      ],
    }),
    responses: JSON.stringify({
      resourceType: 'Bundle',
      entry: [
        {
          resource: {
            resourceType: 'QuestionnaireResponse',
            status: 'completed',
            authored: '2026-02-03T10:00:00+01:00',
            item: [
              { linkId: '1', answer: [{ valueBoolean: true }] },
              {
                linkId: '2',
                item: [
                  { linkId: '2.1', answer: [coding('h', 'Home')] },
                  { linkId: '2.2', answer: [coding('a', 'Aching'), { valueString: 'Itching' }] },
                  { linkId: '2.3', answer: [{ valueInteger: 3 }] },
                ],
              },
              { linkId: '3', answer: [{ valueReference: { reference: 'Patient/1' } }] },
            ],
          },
        },
        {
          resource: {
            resourceType: 'QuestionnaireResponse',
            status: 'in-progress',
            item: [
              { linkId: '2.1', answer: [coding('x', 'X')] },
              { linkId: '9', answer: [{ valueString: 'x' }] },
            ],
          },
        },
      ],
    }),
  },
  notes: [
    'type_not_supported 3 reference',
    'answer_without_question 3:1',
    'answer_without_question 9:2',
    ...['name_changed 2.1 2_1', 'name_changed 2.2 2_2', 'name_changed 2.3 2_3'],
    'answer_not_a_choice 2_1 2.1:2 x',
  ],
  answers: [{ '1': true, '2_1': 0, '2_2': [0, 2], '2_2\\other': 'Itching', '2_3': 3 }, {}],
  proofs: ['1 1=1 true>Yes 1=1, false>No 0=0'],
  conditions: {
    '2_1': { all: [{ question: '1', op: 'eq', value: true }] },
    '2_2': { all: [{ question: '1', op: 'eq', value: true }] },
    '2_3': {
      all: [
        { question: '1', op: 'eq', value: true },
        { question: '2_2', op: 'contains', code: 'a' },
      ],
    },
  },
}

const KOBO: Case = {
  format: 'xlsform',
  files: {
    form: [
      'survey,,,',
      ',type,name,label',
      ',select_one yn,member,Member?',
      ',begin_group,more,More',
      ',select_multiple fruit,likes,Likes?',
      ',decimal,height,Height?',
      ',date,born,Born?',
      ',end_group,,',
      'choices,,,',
      ',list_name,name,label',
      ',yn,y,Yes',
      ',yn,n,No',
      ',fruit,a,Apple',
      ',fruit,p,Pear',
    ].join('\n'),
    data: [
      'start;member;more/likes;more/likes/a;more/likes/p;more/height;more/born;extra;_id;_submission_time',
      '2026-02-03T10:00:00.000+01:00;y;a p;1;1;1.75;2026-01-31;x;7;2026-02-03T09:01:00',
      '2026-02-03T10:00:00.000+01:00;Perhaps;p;0;1;tall;;;8;2026-02-03T09:02:00',
    ].join('\n'),
  },
  notes: [
    'column_ignored extra',
    'time_zone_assumed :2 ×2',
    'answer_not_a_choice member member:3 Perhaps',
    'answer_not_accepted height more/height:3 tall',
  ],
  answers: [{ member: 0, likes: [0, 1], height: 1.75, born: '2026-01-31' }, { likes: [1] }],
  proofs: ['member 2=1 y>Yes 1=1, n>No 0=0, Perhaps>null 1=0 differs', 'likes 2=2 a>Apple 1=1, p>Pear 2=2'],
}

describe('importSurvey', () => {
  test.each([
    ['Typeform', TYPEFORM],
    ['REDCap', REDCAP],
    ['SurveyMonkey', SURVEYMONKEY],
    ['FHIR', FHIR],
    ['Kobo', KOBO],
  ])(
    'imports a survey of %s with its responses [spec 5.16]',
    async (_, { files, format, notes, answers, proofs, conditions }) => {
      const { status, body } = await sendFiles(ann, files)
      expect([status, body.errors ?? body.format]).toEqual([201, format])
      const own = notesOf(body.notes).filter(
        (note) => format !== 'xlsform' || !note.startsWith('setting_not_supported'),
      )
      expect(own.sort()).toEqual([...notes].sort())
      expect(await answersOf(ann, body.survey_uri)).toEqual(answers)
      expect(proofsOf(body.proofs).slice(0, proofs.length)).toEqual(proofs)
      const { form } = (await ann.get(`${new URL(body.survey_uri).pathname}structure/`)).body
      const rules = form.flatMap(({ children }: { children: { id: string; condition?: object }[] }) =>
        children.flatMap(({ id, condition }) => (condition ? [[id, condition]] : [])),
      )
      expect(Object.fromEntries(rules)).toEqual(conditions ?? {})
    },
  )
})
