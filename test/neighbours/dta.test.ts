import { beforeAll, describe, expect, test } from '@jest/globals'
import {
  expectSameAsCodebook,
  exported,
  type Format,
  type HardSurvey,
  hardSurvey,
  secondsOf,
} from '../support/hard-survey.ts'
import { type ReadData, readWithHaven, readWithPython } from '../support/statistics-programs.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
let hard: HardSurvey
let file: Buffer

beforeAll(async () => {
  hard = await hardSurvey(world)
  file = await exported(hard, world, 'dta')
})

const TO_1970 = 3653 * 86_400

/** What Stata keeps: 80 characters of a label, labels of integers, and texts of any length. */
const dtaFormat: Format = {
  label: (text) => [...text].slice(0, 80).join(''),
  valueLabel: (text) => text,
  labelled: (rows) => (rows.every(({ type, value }) => type === 'number' && /^-?\d+$/.test(value!)) ? rows : []),
  text: (text) => text,
  instant: (cell, type) =>
    type === 'date'
      ? (secondsOf(cell, type) + TO_1970) / 86_400
      : (secondsOf(cell, type) + (type === 'time' ? 0 : TO_1970)) * 1000,
}

/** Compares what a program read. @returns the number of cells */
function expectSame({ names, labels, values, rows }: ReadData, format: Format, isMissing: (value: string) => boolean) {
  const variables = names.map((name) => {
    const all = values[name] ?? []
    const isTick = hard.codebook[name]![0]!.missing === 'not asked' && hard.codebook[name]![0]!.type === 'number'
    expect([name, all.flatMap(([value, label]) => (isMissing(value) ? [label] : []))]).toEqual([
      name,
      isTick ? ['not asked'] : [],
    ])
    const own = Object.fromEntries(all.filter(([value]) => !isMissing(value)))
    return { name, label: labels[name]!, values: own }
  })
  return expectSameAsCodebook(hard, { variables, rows }, format)
}

describe('the data file of Stata', () => {
  test('is read by pyreadstat: names, labels, values and every cell', async () => {
    const read = await readWithPython('pyreadstat', 'all.dta', file)
    expect([read.title, read.cases]).toEqual(['Every type', hard.cases])
    const cells = expectSame(read, dtaFormat, (value) => !/^-?\d+$/.test(value))
    console.info(`pyreadstat ${read.version} read ${cells} cells of .dta`)
    expect(['day', 'moment', 'clock', 'drinks_1', 'huge', 'mail'].map((name) => read.formats[name])).toEqual([
      '%td',
      '%tc',
      '%tcHH:MM:SS',
      '%12.0g',
      '%9s',
      '%15s',
    ])
  })

  test('is read by pandas: names, labels, values, and every cell with dates and times', async () => {
    const read = await readWithPython('pandas', 'all.dta', file)
    expect([read.title, read.cases]).toEqual(['Every type', hard.cases])
    const instant = (cell: string, type: string) =>
      type === 'date'
        ? `${cell} 00:00:00`
        : `${type === 'time' ? '1960-01-01 ' : ''}${cell}`.replace(/^(.{16})$/, '$1:00').replace(/\.?0+$/, '$&')
    const cells = expectSame(read, { ...dtaFormat, instant }, (value) => value === '2147483622')
    console.info(`pandas ${read.version} read ${cells} cells of .dta`)
  })

  test('is read by haven: names, labels, values and every cell', async () => {
    const read = readWithHaven('all.dta', file)
    if (!read) return
    const cells = expectSame(read, dtaFormat, (value) => value === 'NA')
    console.info(`haven ${read.version} read ${cells} cells of .dta`)
  })

  test('has what Stata cannot show as a label as notes', () => {
    const notes = file.toString('utf8')
    expect(notes).toContain(`Long title ${'ä'.repeat(200)}\0`)
    const coded = Object.values(hard.codebook)
      .flat()
      .filter(({ question }) => question === 'short')
    expect(coded).toHaveLength(3)
    for (const { value, value_label: label } of coded) expect(notes).toContain(`${value} = ${label}\0`)
  })
})
