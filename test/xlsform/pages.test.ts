// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of XLSForms refer to questions as ${name}
import { describe, expect, it } from '@jest/globals'
import { CHOICES, readForm, rule } from './read-form.ts'

describe('the pages of an XLSForm', () => {
  it('begins a page before a text that contains an answer, and reports references without an answer', async () => {
    const { pages, question, option, issues, errors } = await readForm(`
| survey | | | | | | |
| | type | name | label | calculation | constraint | constraint_message |
| | text | nm | Your name? | | | |
| | integer | age | Your age? | | | |
| | note | hello | Hello \${nm}, how are you? | | | |
| | calculate | dbl | | \${age} * 2 | | |
| | calculate | word | | concat(\${nm}, '!') | | |
| | calculate | same | | \${nm} | | |
| | note | sum | Twice is \${dbl}, \${word}, \${same}, \${later}, \${nobody}. | | | |
| | select_one yn | sure | Sure? | | | |
| | text | later | Later? | | string-length(.) < 9 | Too long, \${nm}! |
| | hidden | day | | today() | | |
| | hidden | text | | plain text | | |
| choices | | | | | | |
| | list_name | name | label | | | |
| | yn | yes | Yes, \${nm} | | | |
| | yn | no | No, \${later} | | | |`)
    expect(pages).toEqual([
      ['nm', 'age'],
      ['hello', 'dbl'],
      ['sum', 'sure', 'later', 'day', 'text'],
    ])
    expect(question('hello').title).toEqual({ en: 'Hello {{ nm }}, how are you?' })
    expect(question('sum').title).toEqual({ en: 'Twice is {{ dbl }}, , {{ nm }}, , .' })
    expect(option('sure').choices).toMatchObject([{ label: { en: 'Yes, {{ nm }}' } }, { label: { en: 'No, ' } }])
    expect(option('later').validation).toEqual({ maxLength: 8 })
    expect([option('day').default, option('text').default]).toEqual([undefined, 'plain text'])
    expect(issues).toEqual([
      'calculation_not_supported survey D6',
      'calculation_not_supported survey D7',
      'reference_not_found survey C8',
      'reference_not_found survey C8',
      'reference_not_found survey C8',
      'reference_not_found survey A9',
      'column_ignored survey F10',
      'calculation_not_supported survey D11',
    ])
    expect(errors).toEqual([])
  })

  it('makes a page of each inner group, with the conditions and the headings of the groups around it', async () => {
    const { structure, pages, issues, errors } = await readForm(`
| survey | | | | | |
| | type | name | label | hint | relevant |
| | select_one yn | consent | Consent? | | |
| | begin group | outer | Interview | About you | \${consent} = 'yes' |
| | text | a | A? | | |
| | begin group | house | House | The house | \${a} != '' |
| | text | b | B? | | |
| | begin group | room | Room | | |
| | text | c | C? | | \${b} = 'x' |
| | end group | | | | |
| | end group | | | | |
| | text | d | D? | | |
| | begin group | empty | Empty | | |
| | geopoint | place | Where? | | |
| | end group | | | | |
| | end group | | | | |
| | text | e | E? | | |
${CHOICES}`)
    expect(pages).toEqual([['consent'], ['a'], ['house', 'b'], ['room', 'c'], ['d'], ['e']])
    const consent = rule('consent', 'eq', 0)
    expect(structure.form.map(({ title, description, condition }) => [title, description, condition])).toEqual([
      [undefined, undefined, undefined],
      [{ en: 'Interview' }, { en: 'About you' }, { all: [consent] }],
      [{ en: 'Interview' }, undefined, { all: [consent, rule('a', 'answered')] }],
      [{ en: 'Interview' }, undefined, { all: [consent, rule('a', 'answered')] }],
      [{ en: 'Interview' }, undefined, { all: [consent] }],
      [undefined, undefined, undefined],
    ])
    expect(issues).toEqual(['type_not_supported survey A13'])
    expect(errors).toEqual([])
  })

  it('keeps a group that ODK shows on one screen on one page', async () => {
    const { pages, question, errors } = await readForm(`
| survey | | | | | |
| | type | name | label | appearance | relevant |
| | begin group | outer | Outer | field-list | |
| | text | a | A? | | |
| | begin group | inner | Inner | | \${a} != '' |
| | text | b | B? | | \${a} != 'x' |
| | end group | | | | |
| | end group | | | | |`)
    expect(pages).toEqual([['a', 'inner', 'b']])
    expect(question('inner').condition).toEqual({ all: [rule('a', 'answered')] })
    expect(question('b').condition).toEqual({ all: [rule('a', 'answered'), rule('a', 'ne', 'x')] })
    expect(errors).toEqual([])
  })
})
