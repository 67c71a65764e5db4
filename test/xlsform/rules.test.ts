// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of XLSForms refer to questions as ${name}
import { describe, expect, it } from '@jest/globals'
import { CHOICES, readForm, rule } from './read-form.ts'

describe('the rules of an XLSForm', () => {
  it('is read with typographic quotes of every kind as with straight ones', async () => {
    const { question, issues, errors } = await readForm(`
| survey | | | | | |
| | type | name | label | relevant | constraint |
| | select_one yn | smoke | Do you smoke? | | |
| | text | q1 | Which? | \${smoke} = ’yes’ | |
| | text | q2 | Which? | \${smoke} = ‘yes’ | string-length(.) > 2 and . != ‘’ |
| | text | q3 | Which? | \${smoke} = “yes” | |
| | text | q4 | Which? | \${smoke} = ”yes” | |
| | text | q5 | Which? | \${smoke} = ‘yes' | |
| | calculate | kept | | | |
${CHOICES}`)
    for (const id of ['q1', 'q2', 'q3', 'q4', 'q5'])
      expect(question(id).condition).toEqual({ all: [rule('smoke', 'eq', 0)] })
    expect(question('q2').children).toMatchObject([{ validation: { minLength: 3 } }])
    expect([issues, errors]).toEqual([['calculation_not_supported survey 8'], []])
  })

  it('makes a question optional if its condition, or that of its group, cannot be converted', async () => {
    const { option, issues, errors } = await readForm(`
| survey | | | | | |
| | type | name | label | required | relevant |
| | date | born | Born? | yes | |
| | integer | cigarettes | How many? | yes | today() - \${born} > 6570 |
| | begin group | g | Group | | pulldata('x', 'y') = 1 |
| | integer | inner | Inner? | TRUE | \${cigarettes} > 3 |
| | text | free | Free? | no | |
| | end group | | | | |
| | integer | last | Last? | true() | \${cigarettes} > 3 |`)
    expect(['born', 'cigarettes', 'inner', 'free', 'last'].map((id) => option(id).required)).toEqual([
      true,
      undefined,
      undefined,
      undefined,
      true,
    ])
    expect(issues).toEqual([
      'expression_not_supported survey E3',
      'required_removed survey D3',
      'expression_not_supported survey E4',
      'required_removed survey D5',
    ])
    expect(errors).toEqual([])
  })

  it('replaces only patterns of email addresses with their check, and digits without signs', async () => {
    const patterns: [string, unknown][] = [
      ['^[^@]+$', undefined],
      ['^@[A-Za-z0-9_]{1,15}$', undefined],
      ['[a-z]+@[a-z]+', undefined],
      ['^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,4}$', { kind: 'email' }],
      ['^[^@\\s]+@[^@\\s]+$', { kind: 'email' }],
      ['^[0-9]{4}$', { kind: 'integer', min: 0, minLength: 4, maxLength: 4 }],
      ['[0-9]{2,}', { kind: 'integer', min: 0, minLength: 2 }],
      ['^[A-Z]+$', undefined],
    ]
    const rows = patterns.map(([pattern], index) => `| | text | q${index} | Your answer? | regex(., '${pattern}') |`)
    const { option, issues, errors } = await readForm(
      `| survey | | | | |\n| | type | name | label | constraint |\n${rows.join('\n')}`,
    )
    expect(patterns.map((_, index) => option(`q${index}`).validation)).toEqual(patterns.map(([, rules]) => rules))
    expect(issues.map((issue) => issue.split(' ')[0])).toEqual([
      'expression_not_supported',
      'expression_not_supported',
      'expression_not_supported',
      'expression_simplified',
      'expression_simplified',
      'expression_not_supported',
    ])
    expect(errors).toEqual([])
  })

  it('converts limits with values outside of them, strict limits of decimals, and limits that no answer can meet', async () => {
    const { option, issues, messages, errors } = await readForm(`
| survey | | | | |
| | type | name | label | constraint |
| | integer | age | Age? | (. >= 0 and . <= 120) or . = 999 |
| | integer | two | Two? | . = -1 or (. > 0 and . < 8) or . = 98 or . = 5 |
| | decimal | one | One? | . = 0.5 or . = 2 |
| | integer | row | Row? | . = 1 or . = 2 or . = 3 |
| | integer | parts | Parts? | (. < 9 or . = 99) and . > 1 |
| | integer | gap | Gap? | (. < 3 and . > 0) or (. > 5 and . < 9) or . = 99 |
| | decimal | weight | Weight? | . > 0 and . < 24.5 |
| | text | pin | Code? | . = '' or string-length(.) = 5 |
| | select_multiple many | few | Few? | count-selected(.) >= 4 |
| | text | short | Short? | string-length(.) < 0 |
| | integer | neither | Neither? | not(. < 3) and . != 7 |
| | select_multiple many | most | Most? | count-selected(.) <= 2 and not(selected(., 'none') and count-selected(.) > 1) |
${CHOICES}`)
    expect(option('age')).toMatchObject({ min: 0, max: 120, also: [999] })
    expect(option('two')).toMatchObject({ min: 1, max: 7, also: [-1, 98] })
    expect(option('one')).toMatchObject({ min: 0.5, max: 0.5, also: [2] })
    expect(option('row')).toEqual(expect.not.objectContaining({ also: expect.anything() }))
    expect(option('row')).toMatchObject({ min: 1, max: 3 })
    expect(option('parts')).toMatchObject({ min: 2, max: 99 })
    expect(option('gap')).toMatchObject({ min: 1, max: 8, also: [99] })
    expect(option('weight')).toMatchObject({ min: 1e-10, max: 24.4999999999 })
    expect(option('pin').validation).toEqual({ minLength: 5, maxLength: 5 })
    expect([option('few').minSelected, option('short').validation]).toEqual([undefined, undefined])
    expect(option('neither')).toMatchObject({ min: 3 })
    expect(option('most')).toMatchObject({ maxSelected: 2, choices: [{}, {}, { exclusive: true }] })
    expect(issues).toEqual([
      'expression_simplified survey D6',
      'expression_simplified survey D7',
      'expression_not_supported survey D10',
      'expression_not_supported survey D11',
      'expression_not_supported survey D12',
    ])
    expect(messages.slice(0, 2)).toEqual([
      'Only one range of numbers can be checked. It also accepts 9 to 98.',
      'Only one range of numbers can be checked. It also accepts 3 to 5.',
    ])
    expect(errors).toEqual([])
  })

  it('converts limits of dates, with today and with days before or after it', async () => {
    const { option, issues, errors } = await readForm(`
| survey | | | | |
| | type | name | label | constraint |
| | today | now | | |
| | date | born | Born? | . < today() and . >= date('1900-01-01') |
| | date | next | Next? | . > \${now} and . <= today() + 30 |
| | date | fixed | Fixed? | decimal-date-time(.) > decimal-date-time('2026-01-31') |
| | date | never | Never? | . != today() |
| | dateTime | both | Both? | . <= now() |
| | date | gone | Gone? | . >= date('2026-02-30') |`)
    expect(['born', 'next', 'fixed'].map((id) => option(id))).toMatchObject([
      { earliest: '1900-01-01', latest: 'today-1' },
      { earliest: 'today+1', latest: 'today+30' },
      { earliest: '2026-02-01' },
    ])
    // The last one names a day that does not exist.
    expect(issues).toEqual(['D6', 'D7', 'D8'].map((cell) => `expression_not_supported survey ${cell}`))
    expect(option('gone')).not.toHaveProperty('earliest')
    expect(errors).toEqual([])
  })

  it('reports error messages that have no counterpart', async () => {
    const { issues, errors } = await readForm(`
| survey | | | | | |
| | type | name | label | constraint | constraint_message |
| | select_multiple many | few | Few? | count-selected(.) <= 2 | Pick at most two |
| | integer | n | Number? | . < 5 | Too many |
| | text | t | Text? | string-length(.) < 5 | Too long |
${CHOICES}`)
    expect(issues).toEqual(['column_ignored survey E2', 'column_ignored survey E3'])
    expect(errors).toEqual([])
  })

  it('converts calculations, and inserts others into the conditions that use them', async () => {
    const { option, question, questions, issues, errors } = await readForm(`
| survey | | | | | |
| | type | name | label | calculation | relevant |
| | decimal | weight | Weight? | | |
| | decimal | height | Height? | | |
| | select_one scale | s | Scale? | | |
| | select_one yn | yn | Sure? | | |
| | select_multiple many | m | Which? | | |
| | calculate | bmi | | round(\${weight} div (\${height} * \${height}), 1) | |
| | calculate | risk | | if(\${bmi} > 25, 'high', if(\${bmi} > 20, 'middle', 'low')) | |
| | calculate | both | | \${s} + coalesce(\${weight}, 0) | |
| | calculate | ok | | if(\${yn} = 'yes' and \${s} != 2, 1, 0) | |
| | calculate | ill | | selected(\${m}, 'a') | \${yn} = 'yes' |
| | calculate | six | | '6' | |
| | note | n1 | BMI | | \${bmi} >= 25 |
| | note | n2 | High | | \${risk} = 'high' |
| | note | n3 | Not low | | \${risk} != 'low' |
| | note | n4 | Ill | | \${ill} = 'true' |
| | note | n5 | Ok | | selected(\${ok}, '1') |
${CHOICES}`)
    expect(option('bmi')).toMatchObject({
      expression: '(round(({{ weight }} / ({{ height }} * {{ height }})) * 10) / 10)',
      decimals: 10,
    })
    expect(option('both').expression).toBe('({{ s }} + if(count({{ weight }}), {{ weight }}, 0))')
    expect(option('s').choices).toMatchObject([{ score: 1 }, { score: 2 }])
    expect(option('ok').expression).toBe('if((({{ yn }} = 1) * if(({{ s }} = 2), 0, 1)), 1, 0)')
    expect(option('six')).toEqual({ type: 'hidden', default: '6' })
    expect(question('n1').condition).toEqual({ any: [rule('bmi', 'gt', 25), rule('bmi', 'eq', 25)] })
    expect(question('n2').condition).toEqual({ all: [rule('bmi', 'gt', 25)] })
    expect(JSON.stringify(question('n3').condition)).not.toContain('risk')
    expect(question('n4').condition).toEqual({ all: [rule('yn', 'eq', 0), rule('m', 'contains', 0)] })
    expect(question('n5').condition).toEqual({ all: [rule('ok', 'eq', 1)] })
    expect(questions.map(({ id }) => id)).not.toContain('risk')
    expect(issues).toEqual(['calculation_not_supported survey D8', 'calculation_not_supported survey D11'])
    expect(errors).toEqual([])
  })
})
