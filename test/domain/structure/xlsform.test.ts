// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of XLSForms refer to questions as ${name}
import { describe, expect, it } from '@jest/globals'
import { convertXlsform } from '../../../src/domain/structure/xlsform/read.ts'
import { makeWorkbook, type SheetCells } from '../../support/workbook.ts'
import { convert } from './convert-form.ts'

describe('readXlsform, types', () => {
  it('converts the usual types to questions with their names as IDs', async () => {
    const { questions, issues, structure } = await convert('type name label hint required appearance parameters', [
      ['text', 'name', 'Your name?', 'First and last name', 'yes'],
      ['text', 'remark', 'Remarks', '', '', 'multiline'],
      ['integer', 'age', 'Age'],
      ['decimal', 'weight', 'Weight'],
      ['select_one yn', 'member', 'Member?'],
      ['select_one drinks', 'favourite', 'Favourite?', '', '', 'minimal'],
      ['select_multiple drinks', 'all', 'Which?', '', '', '', 'randomize=true'],
      ['rank drinks', 'order', 'Order?'],
      ['date', 'd', 'Day'],
      ['time', 't', 'Time'],
      ['dateTime', 'dt', 'Both'],
      ['note', 'n', 'Thank you'],
      ['acknowledge', 'ok', 'I agree'],
      ['range', 'temperature', 'Temperature?', '', '', '', 'start=-10 end=40 step=5'],
      ['hidden', 'source', ''],
      ['start', 'start', ''],
    ])
    expect(issues).toEqual([])
    expect(questions.map(({ id, idname }) => `${id} ${idname}`)).toEqual([
      'name text-response',
      'remark text-response',
      'age number',
      'weight number',
      'member single-choice',
      'favourite dropdown-choice',
      'all multiple-choice',
      'order ranking',
      'd datetime',
      't datetime',
      'dt datetime',
      'n section-separator',
      'ok multiple-choice',
      'temperature slider',
      'source hidden-field',
    ])
    expect(questions[0]).toMatchObject({
      title: { en: 'Your name?' },
      description: { en: 'First and last name' },
      children: [{ required: true }],
    })
    expect(questions[1]!.children).toMatchObject([{ lines: 5 }])
    expect(questions[3]!.children).toMatchObject([{ decimals: 10 }])
    expect(questions[6]!.children).toMatchObject([{ randomize: true, choices: [{ label: { en: 'Tea' } }, {}, {}] }])
    expect(questions.slice(8, 11).map(({ children }) => children[0]!.format)).toEqual(['date', 'time', 'datetime'])
    expect(questions[13]!.children).toMatchObject([{ min: -10, max: 40, step: 5 }])
    expect(structure.form).toHaveLength(1)
  })

  it('converts questions for files to file uploads of the same media type, and signatures to signature questions', async () => {
    const { questions, issues } = await convert('type name label required appearance parameters', [
      ['image', 'photo', 'A photo', 'yes', '', 'max-pixels=1024'],
      ['photo', 'other', 'Another photo', '', 'new-front'],
      ['add image prompt', 'third', 'A third photo'],
      ['audio', 'sound', 'A recording', '', '', 'quality=low'],
      ['video', 'film', 'A video', '', 'new'],
      ['file', 'paper', 'A document'],
      ['image', 'sketch', 'A sketch', '', 'draw'],
      ['image', 'name', 'Sign here', 'yes', 'signature'],
    ])
    const [image, audio, video] = ['image', 'audio', 'video'].map((fileType) => ({
      type: 'file',
      fileTypes: [fileType],
    }))
    expect(questions.map(({ id, idname, children }) => [id, idname, children])).toEqual([
      ['photo', 'file-upload', [{ ...image, required: true }]],
      ['other', 'file-upload', [image]],
      ['third', 'file-upload', [image]],
      ['sound', 'file-upload', [audio]],
      ['film', 'file-upload', [video]],
      ['paper', 'file-upload', [{ type: 'file' }]],
      ['sketch', 'file-upload', [image]],
      ['name', 'signature', [{ type: 'signature', required: true }]],
    ])
    expect(issues.map(({ code, row, column, value }) => [code, row, column, value])).toEqual([
      ['appearance_ignored', 2, 'F', 'max-pixels=1024'],
      ['appearance_ignored', 3, 'E', 'new-front'],
      ['appearance_ignored', 5, 'F', 'quality=low'],
      ['appearance_ignored', 6, 'E', 'new'],
      ['type_replaced', 8, 'E', 'draw'],
    ])
  })

  it('reports each type without a counterpart, with its sheet, row and column and what to do', async () => {
    const { questions, issues } = await convert('type name label calculation', [
      ['geopoint', 'place', 'Where?'],
      ['geoshape', 'area', 'Area?'],
      ['barcode', 'label_code', 'Code?'],
      ['select_one towns', 'town', 'Town?'],
      ['calculate', 'sum', '', '${a} + ${b}'],
      ['calculate', 'version', '', "'2'"],
      ['constructor', 'x', 'X'],
    ])
    expect(questions.map(({ id }) => id)).toEqual(['label_code', 'version'])
    expect(issues.map(({ code, sheet, row, column }) => `${code} ${sheet} ${row} ${column}`)).toEqual([
      'type_not_supported survey 2 A',
      'type_not_supported survey 3 A',
      'type_replaced survey 4 A',
      'list_not_found survey 5 A',
      'calculation_not_supported survey 6 D',
      'type_not_supported survey 8 A',
    ])
    expect(issues[0]!.message).toBe(
      'The row was left out. This type of question is not supported. Ask for a text instead, or leave the question out.',
    )
  })

  it('converts or_other to a choice with a text field, and conditions can refer to this choice', async () => {
    const { questions, issues } = await convert('type name label relevant', [
      ['select_one drinks or_other', 'drink', 'Drink?'],
      ['text', 'which', 'Which?', "${drink} = 'other'"],
    ])
    expect(issues).toEqual([])
    expect(questions[0]!.children).toMatchObject([{ choices: [{}, {}, {}, { label: { en: 'Other' }, other: true }] }])
    expect(questions[1]!.condition).toEqual({ all: [{ question: 'drink', op: 'eq', value: 3 }] })
  })
})

describe('readXlsform, texts and settings', () => {
  it('reads translations, the default language and the title', async () => {
    const { structure, questions, issues } = await convert(
      'type name label::English(en) label::Français(fr) label::Esperanto hint::English(en)',
      [['select_one yn', 'q', 'How are you?', 'Comment allez-vous ?', 'Kiel vi fartas?', 'Be honest']],
      {
        choices: [
          ['list name', 'name', 'label::English(en)', 'label::Français(fr)'],
          ['yn', 'yes', 'Well', 'Bien'],
        ],
        settings: [
          ['form_title', 'default_language'],
          ['Health', 'Français(fr)'],
        ],
      },
    )
    expect(structure.title).toEqual({ fr: 'Health' })
    expect(structure.languages.map(({ code, name, isDefault }) => [code, name, isDefault])).toEqual([
      ['fr', 'Français', true],
      ['en', 'English', false],
      ['qaa', 'Esperanto', false],
    ])
    expect(questions[0]).toMatchObject({
      title: { en: 'How are you?', fr: 'Comment allez-vous ?', qaa: 'Kiel vi fartas?' },
      description: { en: 'Be honest' },
      children: [{ choices: [{ label: { en: 'Well', fr: 'Bien' } }] }],
    })
    expect(issues).toMatchObject([{ code: 'language_unknown', sheet: 'survey', column: 'E', value: 'Esperanto' }])
  })

  it('labels the choice of an acknowledgement in every language of the form', async () => {
    const { questions } = await convert('type name label::English(en) label::Deutsch(de)', [
      ['acknowledge', 'ok', 'I agree', 'Ich stimme zu'],
    ])
    expect(questions[0]!.children).toMatchObject([{ choices: [{ label: { en: 'OK', de: 'OK' } }] }])
  })

  it('converts references in texts to placeholders, and removes HTML and unknown references', async () => {
    const { questions, issues } = await convert('type name label', [
      ['text', 'name', '**Your** <b>name</b>?'],
      ['note', 'hello', 'Hello ${name}, you are ${age}!'],
    ])
    expect(questions.map(({ title }) => title)).toEqual([{ en: 'Your name?' }, { en: 'Hello {{ name }}, you are !' }])
    expect(issues).toMatchObject([
      { code: 'reference_not_found', row: 3, column: 'C', value: '${age}' },
      { code: 'formatting_removed', row: 2, column: 'C' },
    ])
  })

  it('reports each column and sheet without a counterpart once', async () => {
    const { issues } = await convert(
      'type name label media::image default choice_filter',
      [
        ['text', 'a', 'A', 'a.png'],
        ['text', 'b', 'B', 'b.png', 'preset'],
        ['select_one yn', 'c', 'C', '', '', 'x=${a}'],
      ],
      { entities: [['list_name'], ['e']] },
    )
    expect(issues.map(({ code, sheet, row, column }) => `${code} ${sheet} ${row} ${column}`)).toEqual([
      'column_ignored survey 3 E',
      'expression_not_supported survey 4 F',
      'sheet_ignored entities null null',
      'column_ignored survey 2 D',
    ])
    expect(issues.at(-1)!.message).toContain('2 cells ignored')
  })
})

describe('readXlsform, hostile forms', () => {
  const refused = async (sheets: Record<string, SheetCells>) =>
    convertXlsform(await makeWorkbook(sheets)).then(
      () => 'accepted',
      (error) => `${error.code} ${error.errors[0].field} ${error.errors[0].code}`,
    )

  it('refuses a workbook that has no sheet “survey” with a column “type”', async () => {
    expect(await refused({ Sheet1: [['type'], ['text']], Sheet2: [['x']] })).toBe(
      'invalid_xlsform survey missing_sheet',
    )
    expect(await refused({ Sheet1: [['x'], ['text']] })).toBe('invalid_xlsform survey missing_sheet')
    expect(await refused({ survey: [['name'], ['a']] })).toBe('invalid_xlsform survey missing_sheet')
  })

  it('refuses a form with more rows than the limit', async () => {
    const rows = Array.from({ length: 10_001 }, () => ['note'])
    expect(await refused({ survey: [['type'], ...rows] })).toBe('invalid_xlsform file workbook_too_large')
  })

  it('refuses a form in which thousands of questions use a long list of choices', async () => {
    const choices = Array.from({ length: 1000 }, (_, index) => ['l', `n${index}`, `Choice ${index}`])
    const survey = Array.from({ length: 4000 }, (_, index) => ['select_one l', `q${index}`, 'Q'])
    const sheets = {
      survey: [['type', 'name', 'label'], ...survey],
      choices: [['list_name', 'name', 'label'], ...choices],
    }
    expect(await refused(sheets)).toBe('invalid_xlsform file workbook_too_large')
  })

  it('begins a page where a page would contain more choices than the limit', async () => {
    const choices = Array.from({ length: 30 }, (_, index) => ['l', `n${index}`, `C${index}`])
    const survey = Array.from({ length: 23 }, (_, index) => ['rank l', `q${index}`, 'Q'])
    const { structure, issues } = await convertXlsform(
      await makeWorkbook({
        survey: [['type', 'name', 'label'], ...survey],
        choices: [['list_name', 'name', 'label'], ...choices],
      }),
    )
    expect(structure.form.map(({ children }) => children.length)).toEqual([22, 1])
    expect(issues).toEqual([])
  })

  it('converts thousands of long expressions within seconds', async () => {
    const relevant = Array.from({ length: 600 }, () => "${a}<'9'").join(' or ')
    const names = Array.from({ length: 900 }, (_, index) => ['l', String(index), 'C'])
    const survey = Array.from({ length: 1500 }, (_, index) => ['note', `q${index}`, 'Q', relevant])
    const file = await makeWorkbook({
      survey: [['type', 'name', 'label', 'relevant'], ['select_one l', 'a', 'A'], ...survey],
      choices: [['list_name', 'name', 'label'], ...names],
    })
    const started = performance.now()
    await convertXlsform(file).catch(() => {})
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})
