import { beforeAll, describe, expect, test } from '@jest/globals'
import { expectSameAsCodebook, exported, type HardSurvey, hardSurvey, savFormat } from '../support/hard-survey.ts'
import { readWithPspp, readWithPython } from '../support/statistics-programs.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
let hard: HardSurvey
let file: Buffer

beforeAll(async () => {
  hard = await hardSurvey(world)
  file = await exported(hard, world, 'sav')
})

/** The CSV files of PSPP have no carriage returns. */
const withoutReturns = (text: string) => text.replaceAll('\r', '')

const variablesOf = (type: string) =>
  Object.entries(hard.codebook).flatMap(([name, [first]]) => (first!.type === type ? [name] : []))

describe('the system file of SPSS', () => {
  test('is read by pyreadstat: names, labels, values, measures, formats, sets and every cell', async () => {
    const read = await readWithPython('pyreadstat', 'all.sav', file)
    const { names, labels, measures, values, sets, formats } = read
    expect([read.encoding, read.cases]).toEqual(['UTF-8', hard.cases])
    const variables = names.map((name) => ({
      name,
      label: labels[name]!,
      measure: measures[name]!,
      values: Object.fromEntries(values[name] ?? []),
    }))
    const cells = expectSameAsCodebook(hard, { variables, rows: read.rows })
    console.info(`pyreadstat ${read.version} read ${cells} cells of .sav`)
    expect(sets.drinks).toMatchObject({
      label: 'Drinks',
      variable_list: ['drinks_1', 'drinks_2', 'drinks_3'],
      is_dichotomy: true,
    })
    expect([formats.day, formats.moment, formats.clock]).toEqual(['SDATE10', 'DATETIME20', 'TIME8'])
  })

  test('is read by PSPP without a warning: names, labels, values and every cell', () => {
    const times = ['date', 'time', 'datetime'].flatMap(variablesOf)
    const syntax = [
      "GET FILE='all.sav'.",
      // PSPP writes a date or time as it is shown, and a number with all its digits.
      `FORMATS ${times.join(' ')} (F20.3).`,
    ]
    const numbers = [...variablesOf('number'), ...times]
    const read = readWithPspp({ 'all.sav': file, 'read.sps': `${syntax.join('\n')}\n` }, 'read.sps', numbers)
    expect(read.cases).toBe(hard.cases)
    const isText = new Set(variablesOf('text'))
    const rows = read.rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, cell]) => [
          name,
          isText.has(name) ? cell.trimEnd() : cell.trim() === '' ? null : Number(cell),
        ]),
      ),
    )
    const cells = expectSameAsCodebook(hard, { variables: read.variables, rows }, savFormat(withoutReturns))
    console.info(`PSPP read ${cells} cells`)
  })
})
