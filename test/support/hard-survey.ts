import { expect } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { seededRandom } from '../../src/lib/random.ts'
import { EVERY_ANSWER, EVERY_TYPE } from './every-type.ts'
import { makeSurvey } from './responses.ts'
import type { Person, World } from './world.ts'

const RESPONSES = 24
/** Number of questions in addition to those of every type. */
const MORE_QUESTIONS = 240

const TEXTS = [
  'Größe, Übermaß und ß',
  'السلام عليكم',
  '👩‍👩‍👧 family 🇫🇷',
  'one\ntwo\r\nthree\u2028four\ttab',
  '"quoted" \'single\' \\ back; semi, comma',
  ' leads with a space',
  `${'ü'.repeat(127)}x`,
  '漢字'.repeat(60),
  'é'.repeat(5_000),
  // More than 32,767 bytes: the cut lies within a character.
  `x${'€'.repeat(13_400)}`,
]

/** Codes that are texts, of at most eight bytes and of more. */
const worded = (...codes: string[]) => codes.map((code) => ({ label: `Label of ${code} `.repeat(9), code }))

const more = [
  { idname: 'single-choice', id: 'short', title: 'Short codes', choices: worded('yes', 'nö', 'unknown') },
  { idname: 'single-choice', id: 'long', title: 'Long codes', choices: worded('strongly-agree', 'größtenteils', 'x') },
  { idname: 'text-response', id: 'huge', title: `Long title ${'ä'.repeat(200)}` },
  { idname: 'number', id: 'limited', title: 'Limited', min: 0, max: 120, also: [999, -1] },
  ...Array.from({ length: MORE_QUESTIONS }, (_, i) => ({
    idname: i % 2 ? 'number' : 'text-response',
    id: `v${i}`,
    title: `№ ${i}`,
    ...(i % 2 && { decimals: 4 }),
  })),
]

export interface HardSurvey {
  ann: Person
  survey: number
  cases: number
  /** The file for statistics programs, and the rows of the codebook of each variable. */
  rows: Record<string, string>[]
  codebook: Record<string, Record<string, string>[]>
  /** The texts of `huge` as they were sent. */
  huge: string[]
}

/** Creates a survey with every question type and 300 variables, and responses that are hard to export. */
export async function hardSurvey(world: World): Promise<HardSurvey> {
  const seed = Math.floor(Math.random() * 2 ** 32)
  console.info(`seed ${seed}`)
  const random = seededRandom(seed)
  const ann = await world.person({ username: 'ann' })
  const [first, second] = EVERY_TYPE.form
  const later = { ...second!.children[0], title: 'Später? 🙂' }
  const survey = await makeSurvey(ann, {
    ...EVERY_TYPE,
    form: [first, { ...second, children: [later] }, { children: more }],
  })
  const api = `/api/v3/surveys/${survey}/`
  const huge: string[] = []
  for (let index = 0; index < RESPONSES; index += 1) {
    const text = index % 5 === 4 ? '' : TEXTS[index % TEXTS.length]!
    const many = more
      .slice(4)
      .flatMap(({ id, idname }) =>
        random() < 0.4
          ? []
          : [[id, idname === 'number' ? Number(((random() - 0.5) * 1e5).toFixed(4)) : 'ö'.repeat(random() * 12)]],
      )
    const json = {
      ...EVERY_ANSWER[index % EVERY_ANSWER.length],
      ...Object.fromEntries(many),
      ...(text !== '' && { huge: text }),
      ...(index % 2 ? { short: index % 3, long: (index + 1) % 3 } : {}),
      limited: [5, 999, -1, undefined][index % 4],
      _completed: index % 7 === 0 ? 0 : 1,
    }
    const { status, body } = await ann.post(`${api}responses/`, { json })
    expect([status, body.errors]).toEqual([201, undefined])
    huge.push(text)
  }
  const text = async (path: string) => (await ann.get(api + path)).text
  const rows: HardSurvey['rows'] = parse(await text('csv/?for_statistics=1'), { columns: true })
  const described: Record<string, string>[] = parse(await text('codebook/'), { columns: true })
  const codebook = Object.groupBy(described, ({ variable }) => variable!) as HardSurvey['codebook']
  return { ann, survey, cases: RESPONSES, rows, codebook, huge }
}

/** Returns the export of a survey in a format. */
export async function exported({ ann, survey }: HardSurvey, { base }: World, format: string): Promise<Buffer> {
  const headers = { authorization: ann.authorization! }
  const reply = await fetch(`${base}/api/v3/surveys/${survey}/${format}/`, { headers })
  expect(reply.status).toBe(200)
  return Buffer.from(await reply.arrayBuffer())
}

/** What a program read from a file. */
interface ReadFile {
  variables: { name: string; label: string; measure?: string; values: Record<string, string> }[]
  rows: Record<string, number | string | boolean | null>[]
}

/** How a format, as a program shows it, differs from the file for statistics programs. */
export interface Format {
  /** Shortens the label of a variable. */
  label(text: string): string
  /** Shortens the label of a value. */
  valueLabel(text: string): string
  /** The labels of values that the format keeps. */
  labelled?(rows: Record<string, string>[]): Record<string, string>[]
  /** A text that was sent, and a cell of the file for statistics programs, as the program shows it. */
  text(text: string): string | null
  /** A tick; absent: a number. */
  tick?(cell: string): boolean
  /** A date or time. */
  instant(cell: string, type: string): number | string
}

/** Seconds from the first day of SPSS to 1970. */
const TO_1970 = 12_219_379_200

/** @param seen how the program shows a text of several lines */
export const savFormat = (seen = (text: string) => text): Format => ({
  label: (text) => cut(text, 255).trimEnd(),
  valueLabel: (text) => cut(text, 120).trimEnd(),
  text: (text) => seen(Buffer.byteLength(text) > 32_767 ? `${cut(text, 32_764)}…` : text.trimEnd()),
  instant: (cell, type) => secondsOf(cell, type) + (type === 'time' ? 0 : TO_1970),
})

/**
 * Compares what a program read with the codebook and with the file for statistics programs.
 * @returns the number of cells
 */
export function expectSameAsCodebook(
  { rows, codebook, huge }: HardSurvey,
  read: ReadFile,
  format: Format = savFormat(),
): number {
  expect(read.variables.map(({ name }) => name)).toEqual(Object.keys(rows[0]!))
  expect(read.variables.length).toBeGreaterThan(300)
  for (const { name, label, measure, values } of read.variables) {
    const described = codebook[name]!
    expect([name, label]).toEqual([name, format.label(described[0]!.label!)])
    if (measure !== undefined) expect([name, measure]).toEqual([name, described[0]!.measure])
    const withLabels = described.filter(({ value }) => value !== '')
    const labelled = format.labelled?.(withLabels) ?? withLabels
    const expected = labelled.map(({ value, value_label: text }) => [value, format.valueLabel(text!)])
    expect([name, values]).toEqual([name, Object.fromEntries(expected)])
  }
  expect(read.rows).toHaveLength(rows.length)
  let cells = 0
  for (const [i, row] of rows.entries()) {
    for (const [name, cell] of Object.entries(row)) {
      const { type } = codebook[name]![0]!
      const value = read.rows[i]![name]!
      const isText = type === 'text'
      const seen = isText && typeof value === 'string' && name !== 'huge' ? oneLine(value) : value
      const isTick = codebook[name]![0]!.missing === 'not asked'
      const number = isTick && format.tick ? format.tick(cell) : Number(cell)
      const numeric = cell === '' ? null : type === 'number' ? number : format.instant(cell, type!)
      const expected = name === 'huge' ? format.text(huge[i]!) : isText ? format.text(cell) : numeric
      expect([i, name, seen]).toEqual([i, name, expected])
      cells += 1
    }
  }
  return cells
}

const oneLine = (text: string): string => text.replace(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/g, '\\n')

function cut(text: string, bytes: number): string {
  let kept = ''
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > bytes) break
    kept += character
  }
  return kept
}

/** Returns the seconds since 1970, or of a time since midnight. */
export function secondsOf(cell: string, type: string): number {
  const [date, time] = type === 'time' ? ['1970-01-01', cell] : cell.split(' ')
  return Date.parse(`${date}T${time ?? '00:00'}Z`) / 1000
}
