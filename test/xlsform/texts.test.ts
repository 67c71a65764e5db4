// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of XLSForms refer to questions as ${name}
import { describe, expect, it } from '@jest/globals'
import { CHOICES, readForm, rule } from './read-form.ts'

describe('the texts, settings and types of an XLSForm', () => {
  it('reports what changes its meaning: search(), calendars, headers of tables, or_other of rankings', async () => {
    const { questions, option, issues, errors } = await readForm(`
| survey | | | | | |
| | type | name | label | appearance | parameters |
| | select_one yn | house | House? | search('households') | |
| | date | year | Year? | year | |
| | date | other | Day? | ethiopian | |
| | text | phone | Phone? | numbers | |
| | range | r | Range? | | |
| | range | s | Range? | | end=5 step=x |
| | select_one yn | header | Table | label | |
| | select_one yn | row1 | Row 1 | list-nolabel | |
| | rank many or_other | rank | Order? | | |
| | select_one others or_other | which | Which? | | |
| | select_one_external towns | town | Town? | | |
${CHOICES}
| | others | a | A | | |
| | others | other | Something else | | |`)
    expect(questions.map(({ id }) => id)).toEqual(['year', 'other', 'phone', 'r', 's', 'row1', 'rank', 'which'])
    expect(option('phone').validation).toBeUndefined()
    expect(option('r')).toMatchObject({ min: 1, max: 10, step: 1 })
    expect(option('s')).toMatchObject({ min: 1, max: 5, step: 1 })
    expect(option('which').choices).toMatchObject([{ code: 'a' }, { code: 'other', other: true }])
    expect(issues).toEqual([
      'type_not_supported survey D2',
      'type_replaced survey D3',
      'type_replaced survey D4',
      'appearance_ignored survey D5',
      'expression_not_supported survey E7',
      'type_not_supported survey D8',
      'type_replaced survey A10',
      'type_not_supported survey A12',
    ])
    expect(errors).toEqual([])
  })

  it('converts a table to a grid, whose rows keep their names as codes, and reports what rows lose', async () => {
    const { question, questions, issues, errors } = await readForm(`
| survey | | | | | | | | |
| | type | name | label | hint | appearance | required | read_only | default | relevant |
| | begin group | g | Group | | table-list | | | | |
| | select_one scale | a | Row A | Hint A | | yes | | | |
| | select_one scale | b | Row B | | | \${a} = 1 | yes | 2 | |
| | end group | | | | | | | | |
| | text | t | Why? | | | | | | \${b} = '2' |
${CHOICES}`)
    expect(questions).toHaveLength(2)
    expect(question('g')).toMatchObject({
      idname: 'single-choice-grid',
      choices: [{ code: '1' }, { code: '2' }],
      children: [{ code: 'a', required: true }, { code: 'b' }],
    })
    expect(question('t').condition).toEqual({ all: [rule('g_1', 'eq', 1)] })
    expect(issues).toEqual([
      'column_ignored survey D3',
      'name_changed survey B3',
      'column_ignored survey H4',
      'column_ignored survey G4',
      'name_changed survey B4',
      'expression_not_supported survey F4',
    ])
    expect(errors).toEqual([])
  })

  it('reports every setting that it leaves out, and reads the title under all its names', async () => {
    const { structure, issues, errors } = await readForm(`
| survey | | | |
| | type | name | label |
| | text | q | Your question? |
| settings | | | |
| | set form title | form_id | version | public_key | submission_url | style | instance_name | default_language |
| | My form | f1 | 7 | MIIB | https://example.org/ | pages | \${q} | Deutsch (de) |
| | second | | | | | | | |`)
    expect(structure.title).toEqual({ de: 'My form' })
    expect(issues).toEqual([
      'setting_ignored settings B2',
      'setting_ignored settings C2',
      'setting_ignored settings D2',
      'setting_ignored settings E2',
      'setting_ignored settings G2',
      'setting_ignored settings 3',
    ])
    expect(errors).toEqual([])
    for (const heading of ['title', 'form_title', 'set_form_title', 'form_id', 'id_string'])
      expect(
        (
          await readForm(
            `| survey | |\n| | type | name |\n| | note | q |\n| settings | |\n| | ${heading} |\n| | Named |`,
          )
        ).structure.title,
      ).toEqual({ en: 'Named' })
  })

  it('knows the types and headings that pyxform knows under other names', async () => {
    const { questions, option, question, issues, errors } = await readForm(`
| survey | | | | | | |
| | command | tag | caption | bind::relevant | body::appearance | constraining message | constraint |
| | q string | a | A? | | | | |
| | q int | b | B? | | | | |
| | percentage | c | C? | \${b} > 1 | | | |
| | number of days in last month | d | D? | | | | . > 2 |
| | date time | e | E? | | | | |
| | add barcode prompt | f | F? | | | | |
| | q select1 yn | g | G? | | minimal | | |
| | add select multiple prompt using many | h | H? | | | | |
| | q picture | i | I? | | | | |
| | begin lgroup | j | J | | | | |
| | text | k | K? | | | Too short | string-length(.) > 1 |
| | end lgroup | | | | | | |
| | phone number | l | L | | | | |
| | get today | m | | | | | |
| | add calculate prompt | n | | | | | |
${CHOICES}`)
    expect(questions.map(({ id, idname }) => `${id} ${idname}`)).toEqual([
      'a text-response',
      'b number',
      'c number',
      'd number',
      'e datetime',
      'f text-response',
      'g dropdown-choice',
      'h multiple-choice',
      'i file-upload',
      'k text-response',
    ])
    expect(question('c').condition).toEqual({ all: [rule('b', 'gt', 1)] })
    expect([option('c'), option('d')]).toMatchObject([
      { min: 0, max: 100 },
      { min: 3, max: 31 },
    ])
    expect(option('k').validation).toEqual({ minLength: 2, message: { en: 'Too short' } })
    expect(issues).toEqual([
      'repeat_not_supported survey A11',
      'type_replaced survey A7',
      'type_not_supported survey A14',
      'calculation_not_supported survey 16',
    ])
    expect(errors).toEqual([])
  })

  it('removes only what is formatting from texts', async () => {
    const labels: [string, string][] = [
      ['Line one<br>Line two', 'Line one\nLine two'],
      ['<p>One</p><p>Two</p>', 'One\n\nTwo'],
      ['<ul><li>a</li><li>b</li></ul>', 'a\n\nb'],
      ['x<y and y>z', 'x<y and y>z'],
      ['Ask <name of respondent>: income <USD 500 or >1000?', 'Ask <name of respondent>: income <USD 500 or >1000?'],
      ['# of children in household', '# of children in household'],
      ['# Household', 'Household'],
      ['Use a**b and **bold**', 'Use a**b and bold'],
      ['__strong__ and _soft_ and snake_case_name and 2*3*4', 'strong and soft and snake_case_name and 2*3*4'],
      ['See [our page](https://example.org/a)', 'See our page (https://example.org/a)'],
      ['<span style="color:red">Red</span> &amp; &lt;blue&gt;', 'Red & <blue>'],
    ]
    const rows = labels.map(([label], index) => `| | note | n${index} | ${label} |`)
    const { questions, issues, errors } = await readForm(
      `| survey | | | |\n| | type | name | label |\n${rows.join('\n')}`,
    )
    expect(questions.map(({ title }) => title?.en)).toEqual(labels.map(([, text]) => text))
    expect(issues).toEqual(['formatting_removed survey C2'])
    expect(errors).toEqual([])
  })

  it('names the languages of headings, and says if it has to assume one', async () => {
    const { structure, issues } = await readForm(`
| survey | | | | | |
| | type | name | label::Português (BR) | label::Portuguese (BR) | label: English (UK) | hint::Français (FR) |
| | text | q | Olá | Olá | Hello | Salut |`)
    expect(structure.languages.map(({ code }) => code)).toEqual(['pt-BR', 'en-GB', 'fr'])
    expect(issues).toEqual([])
    const words = 'cuál es su nombre y dónde vive usted ahora con su familia en la casa '.repeat(3)
    const spanish = await readForm(`| survey | | |\n| | type | name | label |\n| | text | q | ¿${words}? |`)
    expect(spanish.issues).toEqual(['language_assumed settings'])
    const english = 'what is your name and where do you live now with your family '.repeat(3)
    expect((await readForm(`| survey | | |\n| | type | name | label |\n| | text | q | ${english}? |`)).issues).toEqual(
      [],
    )
  })

  it('reports rows without a type, cells of groups, and rows that cannot be required', async () => {
    const { questions, issues, errors } = await readForm(`
| survey | | | | | |
| | type | name | label | required | constraint |
| | begin group | g | Group | | . > 1 |
| | | lost | Lost | | |
| | note | n | Note | yes | |
| | calculate | c | | yes | |
| | file | f | File? | | . != '' and true() |
| | text | t | Text? | sometimes | |
| | end group | | | | |`)
    expect(questions.map(({ id }) => id)).toEqual(['n', 'f', 't'])
    expect(issues).toEqual([
      'row_ignored survey A3',
      'column_ignored survey E2',
      'column_ignored survey D4',
      'calculation_not_supported survey 5',
      'expression_not_supported survey D7',
    ])
    expect(errors).toEqual([])
  })
})
