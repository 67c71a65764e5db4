// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of XLSForms refer to questions as ${name}
import { describe, expect, it } from '@jest/globals'
import { checkStructure } from '../../src/domain/structure/check.ts'
import { convertXlsform } from '../../src/domain/structure/xlsform/read.ts'
import fc from '../support/fast-check.ts'
import { makeWorkbook, type SheetCells } from '../support/workbook.ts'

const HEADER = [
  'type',
  'name',
  'label',
  'relevant',
  'constraint',
  'calculation',
  'required',
  'appearance',
  'choice_filter',
  'parameters',
  'hint',
]
const CHOICES: SheetCells = [
  ['list_name', 'name', 'label', 'col'],
  ['l', '1', 'One', 'x'],
  ['l', '2', 'Two', 'y'],
  ['l', '2', 'Zwei ${a}', '1'],
  ['m', 'x', 'X', '1'],
  ['m', 'other', '', '2'],
]
const convert = async (rows: SheetCells, choices: SheetCells = CHOICES) =>
  convertXlsform(await makeWorkbook({ survey: [HEADER, ...rows], choices }))

describe('the conversion of a hostile XLSForm', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'g_0', '_id', 'code', '', 'x'.repeat(300))
  const operand = fc.oneof(
    fc.constantFrom(
      '${a}',
      '${b}',
      '${c}',
      '${d}',
      '../a',
      '.',
      "'1'",
      "''",
      '2',
      '-1.5',
      'today()',
      '1e5',
      'col',
      'name',
    ),
    fc.constantFrom(
      'number(${a})',
      'count-selected(.)',
      'string-length(${b})',
      'selected(${c}, 1)',
      "date('2026-02-30')",
    ),
  )
  const expression: fc.Arbitrary<string> = fc.letrec<{ of: string }>((tie) => ({
    of: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      operand,
      fc
        .tuple(tie('of'), fc.constantFrom('=', '!=', '<', '>=', '+', '-', '*', 'div', 'mod', 'and', 'or'), tie('of'))
        .map(([left, operator, right]) => `${left} ${operator} ${right}`),
      fc.tuple(tie('of'), tie('of'), tie('of')).map((parts) => `if(${parts.join(', ')})`),
      tie('of').map((inner) => `not(${inner})`),
      tie('of').map((inner) => `(${inner})`),
    ),
  })).of
  const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 3, arbitrary: fc.constant('') }, arbitrary)
  const row = fc.tuple(
    fc.constantFrom(
      ...'text,integer,decimal,date,range,note,hidden,calculate,select_one l,select_multiple l,select_one m or_other,rank l,begin group,end group,begin repeat,acknowledge,percentage,geopoint,file,'.split(
        ',',
      ),
    ),
    name,
    fc.constantFrom('Label', '', 'Hello ${a}', '**bold** <b>x</b>', '{{ a }} {{ nobody }}', '${d}${d}'),
    maybe(expression),
    maybe(fc.oneof(expression, fc.constantFrom("regex(., '^[0-9]{3,1}$')", 'count-selected(.) > 9', '. > 1e300'))),
    maybe(expression),
    fc.constantFrom('', 'yes', 'sometimes'),
    fc.constantFrom('', 'table-list', 'label', 'list-nolabel', 'field-list', 'minimal', 'multiline w1'),
    maybe(fc.oneof(expression, fc.constantFrom('col = ${c}', 'selected(${c}, name)', "col = ${a} or name = 'other'"))),
    fc.constantFrom('', 'start=5 end=1 step=0', 'randomize=true', 'rows=99'),
    fc.constantFrom('', 'Hint ${b}'),
  )

  it('returns structures that the API accepts, for any combination of rows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 15 }), async (rows) => {
        const { structure } = await convert(rows)
        expect(checkStructure(structure)).toEqual([])
      }),
      { numRuns: 400 },
    )
  })

  it('ends for formulas that grow exponentially, and for formulas that contain themselves', async () => {
    const grown = Array.from({ length: 60 }, (_, index) => [
      'calculate',
      `f${index + 1}`,
      '',
      '',
      '',
      `if(\${f${index}} = 'x', \${f${index}}, concat(\${f${index}}))`,
    ])
    const squared = Array.from({ length: 60 }, (_, index) => [
      'calculate',
      `s${index + 1}`,
      '',
      '',
      '',
      `pow(\${s${index}} + \${s${index}}, 4)`,
    ])
    const { structure, issues } = await convert([
      ['text', 'f0', 'F'],
      ['integer', 's0', 'S'],
      ...grown,
      ...squared,
      ['calculate', 'own', '', '', '', "if(${own} = 'x', 1, ${own})"],
      ['calculate', 'own', '', '', '', "if(${own} = 'x', ${own}, ${own})"],
      ['note', 'n1', 'N', "${f60} = 'x'"],
      ['note', 'n2', 'N', "${own} = 'x'"],
      ['note', 'n3', '${own} ${f60}'],
    ])
    expect(checkStructure(structure)).toEqual([])
    const reported = issues.filter(({ code }) => code === 'expression_not_supported').map(({ value }) => value)
    expect(reported).toEqual(["${f60} = 'x'", "${own} = 'x'"])
  })

  it('ends for texts, appearances and names that regular expressions could search for hours', async () => {
    const long = (part: string) => part.repeat(Math.floor(30_000 / part.length))
    for (const part of ['*a ', '**a ', '_', '<b "', '<', '[a](', '# ', '&', '((', 'a(b ', '${', '-', '.', 'a-'])
      expect(
        checkStructure(
          (await convert([['text', 'a', long(part), long(part), long(part), '', '', long(part)]])).structure,
        ),
      ).toEqual([])
  })

  it('leaves out single parts that the API refuses, and names their rows', async () => {
    const rows = Array.from({ length: 1100 }, (_, index) => ['text', `t${index}`, 'T', "not(selected(${c}, '1'))"])
    const { structure, issues } = await convert([['select_multiple l', 'c', 'C'], ...rows])
    expect(checkStructure(structure)).toEqual([])
    // A survey has at most 1000 rules that search an answer.
    const leftOut = issues.filter(({ code }) => code === 'expression_not_supported')
    expect(leftOut).toHaveLength(100)
    expect(leftOut[0]).toMatchObject({ sheet: 'survey', row: 1003, column: 'D' })
  })
})
