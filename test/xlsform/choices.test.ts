// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of XLSForms refer to questions as ${name}
import { describe, expect, it } from '@jest/globals'
import { readForm } from './read-form.ts'

const rule = (question: string, op: string, value?: unknown) => ({
  question,
  op,
  ...(value !== undefined && { value }),
})

describe('the choices of an XLSForm', () => {
  it('keeps the names of choices as codes, and choices with one name and different labels', async () => {
    const long = 'n'.repeat(70)
    const { option, question, issues, errors } = await readForm(`
| survey | | | | |
| | type | name | label | relevant |
| | select_one l | q | What? | |
| | text | why | Why? | \${q} = 'val2' |
| choices | | | | |
| | list name | value | label | |
| | l | val1 | Yes | |
| | l | val2 | No | |
| | l | val2 | Maybe | |
| | l | val2 | No | |
| | l | val2_2 | Never | |
| | l | ${long} | Long | |
| | | lost | Lost | |`)
    expect(option('q').choices).toMatchObject([
      { code: 'val1', label: { en: 'Yes' } },
      { code: 'val2', label: { en: 'No' } },
      { code: 'val2_2', label: { en: 'Maybe' } },
      { code: 'val2_2_2', label: { en: 'Never' } },
      { code: 'n'.repeat(64) },
    ])
    // Both choices have the name to which the condition refers.
    expect(question('why').condition).toEqual({ any: [rule('q', 'eq', 1), rule('q', 'eq', 2)] })
    expect(issues).toEqual([
      'code_changed choices B4',
      'code_changed choices B6',
      'code_changed choices B7',
      'row_ignored choices A8',
    ])
    expect(errors).toEqual([])
  })

  it('offers the choices that a choice filter admits, with the codes of the choices that filter them', async () => {
    const { option, question, issues, errors } = await readForm(`
| survey | | | | | |
| | type | name | label | choice_filter | relevant |
| | select_one states | state | State? | | |
| | select_one counties | county | County? | state=\${state} | |
| | select_one towns | town | Town? | state = \${state} and \${county} = county or name = 'other' | |
| | select_multiple states | seen | Seen? | | |
| | select_one states | best | Best? | selected(\${seen}, name) | |
| | select_one counties | big | Big? | size = 'big' | |
| | select_one counties | odd | Odd? | size > 3 | |
| | rank counties | order | Order? | state=\${state} | |
| | text | k | King? | | \${county} = '1' |
| choices | | | | | |
| | list_name | name | label | state | county | size | unused |
| | states | tx | Texas | | | | |
| | states | wa | Washington | | | | x |
| | counties | 1 | Cameron | tx | | big | |
| | counties | 2 | Dallas | tx | | | |
| | counties | 1 | King | wa | | big | |
| | counties | 9 | Shared | tx | | | |
| | counties | 9 | Shared | wa | | | |
| | towns | a | Brownsville | tx | 1 | | |
| | towns | b | Seattle | wa | 1 | | |
| | towns | other | Other | | | | |`)
    expect(option('county').choiceFilter).toEqual([{ question: 'state', attribute: 'state' }])
    expect(option('county').choices).toMatchObject([
      { code: '1', attributes: { state: 'tx' } },
      { code: '2', attributes: { state: 'tx' } },
      { code: '1_2', attributes: { state: 'wa' } },
      { code: '9', attributes: { state: ['tx', 'wa'] } },
    ])
    expect(option('town').choiceFilter).toEqual([
      { question: 'state', attribute: 'state' },
      { question: 'county', attribute: 'county' },
    ])
    expect(option('town').choices).toMatchObject([
      { attributes: { state: 'tx', county: ['1', '1_2'] } },
      { attributes: { state: 'wa', county: ['1', '1_2'] } },
      { code: 'other' },
    ])
    expect(option('town').choices[2]!.attributes).toBeUndefined()
    expect(option('best')).toMatchObject({
      choiceFilter: [{ question: 'seen', attribute: 'name' }],
      choices: [{ attributes: { name: 'tx' } }, { attributes: { name: 'wa' } }],
    })
    expect(option('big').choices.map(({ code }) => code)).toEqual(['1', '1_2'])
    expect([option('big').choiceFilter, option('odd').choiceFilter, option('odd').choices.length]).toEqual([
      undefined,
      undefined,
      4,
    ])
    expect(question('k').condition).toEqual({ any: [rule('county', 'eq', 0), rule('county', 'eq', 2)] })
    expect(issues).toEqual([
      'code_changed choices B6',
      'expression_not_supported survey D8',
      'expression_not_supported survey D9',
      'column_ignored choices G3',
    ])
    expect(errors).toEqual([])
  })

  it('is read from CSV in the notation of pyxform', async () => {
    const csv =
      '"survey",,,\r\n,"type","name","label"\r\n,"select_one yn","q","Sure, or ""not""?"\r\nchoices\r\n,list_name,name,label\r\n,yn,1,Yes\r\n,yn,0,No\r\n'
    const { option, question, errors } = await readForm(`| survey | | | |
| | type | name | label |
| | select_one yn | q | Sure, or "not"? |
| choices | | | |
| | list_name | name | label |
| | yn | 1 | Yes |
| | yn | 0 | No |`)
    const { convertXlsform } = await import('../../src/domain/structure/xlsform/read.ts')
    const fromCsv = await convertXlsform(Buffer.from(`\uFEFF${csv}`))
    expect(fromCsv.structure.form[0]!.children[0]).toEqual(question('q'))
    expect(option('q').choices).toMatchObject([{ code: '1' }, { code: '0' }])
    expect(errors).toEqual([])
    for (const broken of ['survey\n,"type', 'survey\n,type\n,"a"b"'])
      await expect(convertXlsform(Buffer.from(broken))).rejects.toMatchObject({ code: 'invalid_xlsform' })
  })
})
