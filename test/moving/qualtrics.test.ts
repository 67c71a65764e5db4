// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Qualtrics refers to answers as ${q://QID1/…}
import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../support/world.ts'
import { answersOf, notesOf, proofsOf, sendFiles } from './world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const choices = (...labels: string[]) =>
  Object.fromEntries(labels.map((Display, index) => [String(index + 1), { Display }]))
const forced = { Validation: { Settings: { ForceResponse: 'ON' } } }
const selected = (id: string, choice: string, more: object = {}) => ({
  LogicType: 'Question',
  ChoiceLocator: `q://${id}/SelectableChoice/${choice}`,
  Operator: 'Selected',
  Type: 'Expression',
  ...more,
})
const QUESTIONS: Record<string, Record<string, unknown>> = {
  QID1: {
    ...{ QuestionText: 'Which <b>fruit</b>?', DataExportTag: 'fruit', QuestionType: 'MC', Selector: 'SAVR', ...forced },
    Choices: { ...choices('Apple', 'Pear, green'), 3: { Display: 'Other', TextEntry: 'true' } },
    RecodeValues: { 1: '10', 2: '20', 3: '30' },
    Language: { DE: { QuestionText: 'Welches Obst?', Choices: choices('Apfel', 'Birne', 'Anderes') } },
  },
  QID2: {
    ...{ QuestionText: 'When ${q://QID1/ChoiceGroup/SelectedChoices}?', DataExportTag: 'when', QuestionType: 'MC' },
    ...{ Selector: 'MAVR', Choices: choices('Morning', 'Noon, early') },
    DisplayLogic: {
      0: {
        0: selected('QID1', '1'),
        1: selected('QID1', '2', { Conjuction: 'Or', Operator: 'NotSelected' }),
        Type: 'If',
      },
    },
  },
  QID3: {
    ...{ QuestionText: 'How do you like them?', DataExportTag: 'like', QuestionType: 'Matrix', Selector: 'Likert' },
    ...{ SubSelector: 'SingleAnswer', Choices: choices('Raw', 'Cooked'), Answers: choices('No', 'Yes') },
    ChoiceDataExportTags: { 1: 'raw', 2: 'cooked' },
  },
  QID4: {
    ...{ QuestionText: 'How much?', DataExportTag: 'much', QuestionType: 'TE', Selector: 'SL' },
    Validation: { Settings: { ContentType: 'ValidNumber', ValidNumber: { Min: '0', Max: '100', NumDecimals: '1' } } },
    DisplayLogic: {
      0: { 0: { LogicType: 'Question', LeftOperand: 'q://QID3/SelectableAnswer/1', Operator: 'Is' }, Type: 'If' },
    },
  },
  QID5: {
    QuestionText: 'Rank',
    DataExportTag: 'rank',
    QuestionType: 'RO',
    Selector: 'DND',
    Choices: choices('A', 'B'),
  },
  QID6: { QuestionText: 'Recommend?', DataExportTag: 'nps', QuestionType: 'MC', Selector: 'NPS' },
  QID7: { QuestionText: 'Where?', DataExportTag: 'spot', QuestionType: 'HeatMap', Selector: 'Image' },
  QID9: { QuestionText: 'Deleted', DataExportTag: 'gone', QuestionType: 'TE', Selector: 'SL' },
}
const element = (Element: string, Payload: unknown, PrimaryAttribute = '') => ({ Element, PrimaryAttribute, Payload })
const block = (ID: string, Type: string, ids: string[]) => ({
  ID,
  Type,
  BlockElements: ids.map((QuestionID) =>
    QuestionID === '-' ? { Type: 'Page Break' } : { Type: 'Question', QuestionID },
  ),
})
const QSF = JSON.stringify({
  SurveyEntry: { SurveyID: 'SV_1', SurveyName: 'Fruit', SurveyLanguage: 'EN' },
  SurveyElements: [
    element('BL', [
      block('BL_1', 'Default', ['QID1', 'QID2', '-', 'QID3', 'QID4']),
      block('BL_2', 'Standard', ['QID5', 'QID6', 'QID7']),
      block('BL_3', 'Trash', ['QID9']),
    ]),
    element('FL', {
      Flow: [
        { Type: 'EmbeddedData', EmbeddedData: [{ Field: 'source' }] },
        { Type: 'Block', ID: 'BL_1' },
        {
          Type: 'Branch',
          BranchLogic: { 0: { 0: selected('QID3/1', '2'), Type: 'If' } },
          Flow: [{ Type: 'EndSurvey' }],
        },
        {
          Type: 'Branch',
          BranchLogic: {
            0: { 0: { LogicType: 'EmbeddedField', LeftOperand: 'source', Operator: 'EqualTo', RightOperand: 'web' } },
          },
          Flow: [{ Type: 'Standard', ID: 'BL_2' }],
        },
      ],
    }),
    ...Object.entries(QUESTIONS).map(([id, payload]) => element('SQ', { QuestionID: id, ...payload }, id)),
  ],
})
const HEADER =
  'StartDate,Finished,Duration (in seconds),UserLanguage,source,fruit,fruit_3_TEXT,when,raw,cooked,much,rank_1,rank_2,nps,nps_NPS_GROUP,gone'
const IDS = HEADER.split(',')
  .map((name) => `"{""ImportId"":""${name}""}"`)
  .join(',')
const CSV = [
  HEADER,
  HEADER,
  IDS,
  '2026-02-03 10:00:00,1,60,DE,web,10,,"1,2",2,1,1.5,2,1,9,Promoter,x',
  '2026-02-03 11:00:00,0,5,EN,,30,Fig,2,,,,,,,,',
  '2026-02-03 12:00:00,True,5,EN,,"Pear, green",,"Morning,Noon, early",Yes,,many,,,11,,',
].join('\n')

describe('importSurvey', () => {
  test('imports a survey of Qualtrics with its CSV file, in numbers or in texts [spec 5.16]', async () => {
    const { status, body } = await sendFiles(ann, { 'fruit.qsf': QSF, 'fruit.csv': CSV })
    expect([status, body.format, body.title, body.stored]).toEqual([201, 'qualtrics', 'Fruit', 3])
    expect(notesOf(body.notes)).toEqual([
      'formatting_removed fruit Which <b>fruit</b>?',
      'condition_not_supported much',
      'condition_not_supported Branch',
      'skip_not_supported EndSurvey',
      'type_not_supported spot HeatMap Image',
      'column_ignored gone',
      'time_zone_assumed :4 ×3',
      'answer_not_a_choice nps nps:6 11',
      'answer_not_accepted much much:6 many',
    ])
    expect(await answersOf(ann, body.survey_uri)).toEqual([
      { source: 'web', fruit: 0, when: [0, 1], like_0: 1, like_1: 0, much: 1.5, rank: [1, 0], nps: 9 },
      { fruit: 2, 'fruit\\other': 'Fig', when: [1] },
      { fruit: 1, when: [0, 1], like_0: 1 },
    ])
    expect(
      proofsOf(body.proofs)
        .filter((proof) => !proof.endsWith('differs'))
        .slice(0, 4),
    ).toEqual([
      'source 1=1',
      'fruit 3=3 10>Apple 1=1, 20, Pear, green>Pear, green 1=1, 30>Other 1=1',
      'fruit\\other 1=1',
      'when 3=3 1, Morning>Morning 2=2, 2, Noon, early>Noon, early 3=3',
    ])
    const path = new URL(body.survey_uri).pathname
    const { form } = (await ann.get(`${path}structure/`)).body
    expect(form.map(({ children }: { children: { id: string }[] }) => children.map(({ id }) => id))).toEqual([
      ['source'],
      ['fruit', 'when'],
      ['like', 'much'],
      ['rank', 'nps'],
    ])
    expect(form[1].children[0].title).toEqual({ en: 'Which fruit?', de: 'Welches Obst?' })
    expect(form[1].children[1].title).toEqual({ en: 'When {{ fruit }}?' })
    expect(form[1].children[1].condition).toEqual({
      any: [
        { question: 'fruit', op: 'eq', code: '10' },
        { question: 'fruit', op: 'ne', code: '20' },
      ],
    })
    expect(form[3].condition).toEqual({ all: [{ question: 'source', op: 'eq', value: 'web' }] })
    const { results } = (await ann.get(`${path}responses/`)).body
    expect(
      results.map((one: Record<string, unknown>) => [one._completed, one._language, one._completion_time]),
    ).toEqual([
      [1, 'de', 60],
      [0, 'en', 5],
      [1, 'en', 5],
    ])
  })

  test('gives columns of one name to their questions in turn, and reads the header of 2016', async () => {
    const two = QSF.replace('"fruit"', '"q"').replace('"when"', '"q"')
    const csv = `Finished,q,q\nFinished,a,b\n{'ImportId': 'finished'},{'ImportId': 'QID1'},{'ImportId': 'QID2'}\n1,10,"1,2"\n`
    const { body } = await sendFiles(ann, { 'fruit.qsf': two, 'fruit.csv': csv })
    expect(await answersOf(ann, body.survey_uri)).toEqual([{ q: 0, q2: [0, 1] }])
  })

  test('asks for the survey of a CSV file of Qualtrics', async () => {
    const { status, body } = await sendFiles(ann, { 'fruit.csv': CSV })
    expect([status, body.errors[0].code, body.errors[0].params.wanted]).toEqual([400, 'survey_file_missing', '.qsf'])
  })
})
