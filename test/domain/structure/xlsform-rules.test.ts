// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of XLSForms refer to questions as ${name}
import { describe, expect, it } from '@jest/globals'
import { convert } from './convert-form.ts'

const BASE = [
  ['text', 'name', 'Your name?'],
  ['integer', 'age', 'Your age?'],
  ['select_one yn', 'member', 'Are you a member?'],
  ['select_multiple drinks', 'drinks', 'What do you drink?'],
  ['select_one scale', 'rating', 'How was it?'],
  ['date', 'day', 'When?'],
]

/**
 * Converts the expression of a question in the column `relevant`.
 * @returns the condition of the question; null if the expression cannot be converted
 */
async function conditionFrom(relevant: string): Promise<unknown> {
  const rows = [...BASE.map((row) => [...row, '']), ['text', 'last', 'Why?', relevant]]
  const { questions, issues } = await convert('type name label relevant', rows)
  if (issues.length > 0) {
    expect(issues).toMatchObject([
      { code: 'expression_not_supported', sheet: 'survey', row: 8, column: 'D', value: relevant },
    ])
    return null
  }
  return questions.at(-1)!.condition
}

describe('readXlsform, conditions', () => {
  const rule = (question: string, op: string, value?: unknown) => ({
    question,
    op,
    ...(value !== undefined && { value }),
  })
  const one = (question: string, op: string, value?: unknown) => ({ all: [rule(question, op, value)] })

  it.each([
    ["${member} = 'yes'", one('member', 'eq', 0)],
    ["'no' = ${member}", one('member', 'eq', 1)],
    ["not(${member} = 'yes')", one('member', 'ne', 0)],
    ["selected(${drinks}, 'tea')", one('drinks', 'contains', 0)],
    ["selected(${member}, 'no') = true()", one('member', 'eq', 1)],
    ["${name} != ''", one('name', 'answered')],
    ["${name} = ''", one('name', 'unanswered')],
    ['string-length(${name}) > 0', one('name', 'answered')],
    ['count-selected(${drinks}) >= 1', one('drinks', 'answered')],
    ['${age} > 17', one('age', 'gt', 17)],
    ['${age} >= 18', { any: [rule('age', 'gt', 18), rule('age', 'eq', 18)] }],
    ['18 > ${age}', one('age', 'lt', 18)],
    ['not(${age} < 18)', { any: [rule('age', 'gt', 18), rule('age', 'eq', 18), rule('age', 'unanswered')] }],
    ['${rating} <= 2', { any: [rule('rating', 'eq', 0), rule('rating', 'eq', 1)] }],
    ["${day} > date('2026-01-31')", one('day', 'gt', '2026-01-31')],
    [
      "${member} = 'yes' and (${age} > 17 or ${name} = 'Ann')",
      { all: [rule('member', 'eq', 0), { any: [rule('age', 'gt', 17), rule('name', 'eq', 'Ann')] }] },
    ],
    ["not(${member} = 'yes' or ${age} = 3)", { all: [rule('member', 'ne', 0), rule('age', 'ne', 3)] }],
    ['true() and ${age} > 1', one('age', 'gt', 1)],
    ["not(selected(${drinks}, 'tea'))", one('drinks', 'not_contains', 0)],
    [
      "not(selected(${drinks}, 'tea') or selected(${drinks}, 'none'))",
      { all: [rule('drinks', 'not_contains', 0), rule('drinks', 'not_contains', 2)] },
    ],
    ["selected(${drinks}, 'tea') or selected(${drinks}, 'maybe')", one('drinks', 'contains', 0)],
    [
      'count-selected(${drinks}) >= 3',
      { all: [rule('drinks', 'contains', 0), rule('drinks', 'contains', 1), rule('drinks', 'contains', 2)] },
    ],
    ['count-selected(${drinks}) < 1', one('drinks', 'unanswered')],
    ['${member} = ’yes’', one('member', 'eq', 0)],
    ["${member} = ‘yes'", one('member', 'eq', 0)],
    ['${member} = ”yes“', one('member', 'eq', 0)],
    ["../member = 'yes'", one('member', 'eq', 0)],
    ["/data/group/member = 'no'", one('member', 'eq', 1)],
    ['number(${age}) > 17', one('age', 'gt', 17)],
    ["if(${age} > 17, ${member} = 'yes', false())", { all: [rule('age', 'gt', 17), rule('member', 'eq', 0)] }],
    ["if(${member} = 'yes', 'a', 'b') = 'b'", one('member', 'ne', 0)],
    ['no', { any: [] }],
    ['TRUE', undefined],
    ['false()', { any: [] }],
    ['true()', undefined],
  ])('converts %s', async (relevant, condition) => {
    expect(await conditionFrom(relevant)).toEqual(condition)
  })

  it.each([
    "${unknown} = 'x'",
    "${last} = 'x'",
    "${member} = 'maybe'",
    '${age} + 1 > 3',
    "contains(${name}, 'A')",
    '${age} > ${rating}',
    'today() > ${day}',
    '(${age} > 1',
    "${age} > 'x",
    '('.repeat(200),
    `\${${'x'.repeat(150)} ${'y'.repeat(45)}`,
  ])('reports the expression %s, and always shows the question', async (relevant) => {
    expect(await conditionFrom(relevant)).toBeNull()
  })
})

describe('readXlsform, constraints', () => {
  const optionWith = async (type: string, constraint: string, message = '') => {
    const { questions, issues } = await convert('type name label constraint constraint_message', [
      [type, 'q', 'Q', constraint, message],
    ])
    return { option: questions[0]!.children[0]!, codes: issues.map(({ code }) => code) }
  }

  it('converts limits of numbers, lengths and selections', async () => {
    expect((await optionWith('integer', '. > 0 and . <= 120')).option).toMatchObject({ min: 1, max: 120 })
    expect((await optionWith('decimal', '. >= 0.5')).option).toMatchObject({ min: 0.5, decimals: 10 })
    expect((await optionWith('text', 'string-length(.) <= 10', 'Too long')).option).toMatchObject({
      validation: { maxLength: 10, message: { en: 'Too long' } },
    })
    expect((await optionWith('text', "regex(., '^[0-9]{5}$')")).option).toMatchObject({
      validation: { kind: 'integer', minLength: 5, maxLength: 5 },
    })
    expect((await optionWith('select_multiple drinks', 'count-selected(.) <= 2')).option).toMatchObject({
      maxSelected: 2,
    })
  })

  it('makes a choice exclusive if the constraint does not allow it together with other choices', async () => {
    const { option, codes } = await optionWith(
      'select_multiple drinks',
      "not(selected(., 'none') and count-selected(.) > 1)",
    )
    expect(codes).toEqual([])
    expect(option.choices).toMatchObject([{ label: { en: 'Tea' } }, {}, { label: { en: 'None' }, exclusive: true }])
    expect(JSON.stringify(option.choices).match(/exclusive/g)).toHaveLength(1)
  })

  it('replaces a pattern that contains @ with the check for email addresses, and reports the replacement', async () => {
    const { option, codes } = await optionWith('text', String.raw`regex(., '^[A-Za-z0-9._]+@[a-z.]+\.[a-z]{2,}$')`)
    expect(option).toMatchObject({ validation: { kind: 'email' } })
    expect(codes).toEqual(['expression_simplified'])
  })

  it('converts the supported parts of a constraint, and reports the other parts', async () => {
    const { option, codes } = await optionWith('integer', '. >= 1 and . < ${other}', 'Wrong')
    expect(option).toMatchObject({ min: 1 })
    expect(codes).toEqual(['expression_not_supported', 'column_ignored'])
  })
})

describe('readXlsform, contradictions', () => {
  it.each([
    ['integer', '. > 5 and . < 3'],
    ['text', 'string-length(.) > 5 and string-length(.) < 3'],
    ['select_multiple drinks', 'count-selected(.) = 0'],
  ])('reports a constraint on %s that no answer can meet: %s', async (type, constraint) => {
    const { issues } = await convert('type name label constraint', [[type, 'q', 'Q', constraint]])
    expect(issues).toMatchObject([{ code: 'expression_not_supported', row: 2, column: 'D' }])
  })
})

describe('readXlsform, groups', () => {
  it('converts a group that ODK shows on one screen to a page, and a group within it to a section', async () => {
    const { structure, issues } = await convert('type name label relevant appearance', [
      ['select_one yn', 'more', 'More?'],
      ['begin_group', 'person', 'About you', "${more} = 'yes'", 'field-list'],
      ['text', 'name', 'Name'],
      ['begin group', 'address', 'Address', "${name} != ''"],
      ['text', 'street', 'Street', "${name} != 'Ann'"],
      ['end group', '', ''],
      ['end_group', '', ''],
      ['text', 'end', 'End'],
    ])
    expect(issues).toEqual([])
    expect(structure.form).toMatchObject([
      { children: [{ id: 'more' }] },
      {
        title: { en: 'About you' },
        condition: { all: [{ question: 'more', op: 'eq', value: 0 }] },
        children: [
          { id: 'name' },
          { id: 'address', idname: 'section-separator', condition: { all: [{ question: 'name', op: 'answered' }] } },
          {
            id: 'street',
            condition: {
              all: [
                { question: 'name', op: 'answered' },
                { question: 'name', op: 'ne', value: 'Ann' },
              ],
            },
          },
        ],
      },
      { children: [{ id: 'end' }] },
    ])
  })

  it('converts a group that is shown as a table to a grid', async () => {
    const { questions, issues } = await convert('type name label required appearance relevant', [
      ['begin group', 'parts', 'How were these?', '', 'table-list'],
      ['select_one scale', 'food', 'Food', 'yes'],
      ['select_one scale', 'place', 'Place'],
      ['end group'],
      ['text', 'why', 'Why?', '', '', "${food} = '1'"],
    ])
    expect(issues.map(({ code, row, column }) => `${code} ${row} ${column}`)).toEqual([
      'name_changed 3 B',
      'name_changed 4 B',
    ])
    expect(questions).toMatchObject([
      {
        idname: 'single-choice-grid',
        id: 'parts',
        title: { en: 'How were these?' },
        choices: [{}, {}, {}],
        children: [
          { label: { en: 'Food' }, code: 'food', required: true },
          { label: { en: 'Place' }, code: 'place' },
        ],
      },
      { condition: { all: [{ question: 'parts_0', op: 'eq', value: 0 }] } },
    ])
  })

  it('reports names that are parameters of survey addresses, which fill in no answer', async () => {
    const { questions, issues } = await convert('type name label', [
      ['text', 'code', 'Code'],
      ['hidden', 'page', ''],
      ['begin group', 'lang', 'Languages'],
      ['note', 'saved', 'Saved'],
      ['text', 'codes', 'Codes'],
      ['end group', '', ''],
    ])
    expect(questions.map(({ id }) => id)).toEqual(['code', 'page', 'saved', 'codes'])
    expect(issues.filter(({ code }) => code === 'reserved_id')).toMatchObject([
      { row: 2, column: 'B', value: 'code' },
      { row: 3, column: 'B', value: 'page' },
    ])
  })

  it('reports repeats, groups without a beginning or an end, and names that are missing, reserved or repeated', async () => {
    const { questions, issues } = await convert('type name label', [
      ['begin repeat', 'child', 'Child'],
      ['text', 'name', 'Name'],
      ['end repeat', '', ''],
      ['end group', '', ''],
      ['begin group', 'g', 'Group'],
      ['text', 'name', 'Name'],
      ['text', '_id', 'Number'],
      ['text', '', 'Without a name'],
    ])
    expect(questions.map(({ id }) => id)).toEqual(['name', 'name_2', '_id_2', 'question_9'])
    expect(issues.map(({ code, row }) => `${code} ${row}`).sort()).toEqual([
      'group_not_closed 5',
      'group_not_closed 6',
      'name_changed 7',
      'name_changed 8',
      'name_changed 9',
      'repeat_not_supported 2',
    ])
  })
})
