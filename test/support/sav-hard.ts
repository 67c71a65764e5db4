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

/** What a program read from a system file. */
export interface ReadSystemFile {
  variables: { name: string; label: string; measure?: string; values: Record<string, string> }[]
  rows: Record<string, number | string | null>[]
}

/**
 * Compares what a program read with the codebook and with the file for statistics programs.
 * @param seen how the program shows a text of several lines
 * @returns the number of cells
 */
export function expectSameAsCodebook(
  { rows, codebook, huge }: HardSurvey,
  read: ReadSystemFile,
  seen = (text: string) => text,
): number {
  expect(read.variables.map(({ name }) => name)).toEqual(Object.keys(rows[0]!))
  expect(read.variables.length).toBeGreaterThan(300)
  for (const { name, label, measure, values } of read.variables) {
    const described = codebook[name]!
    expect([name, label]).toEqual([name, cut(described[0]!.label!, 255).trimEnd()])
    if (measure !== undefined) expect([name, measure]).toEqual([name, described[0]!.measure])
    const labelled = described.filter(({ value }) => value !== '')
    const expected = labelled.map(({ value, value_label: text }) => [value, cut(text!, 120).trimEnd()])
    expect([name, values]).toEqual([name, Object.fromEntries(expected)])
  }
  expect(read.rows).toHaveLength(rows.length)
  let cells = 0
  for (const [i, row] of rows.entries()) {
    for (const [name, cell] of Object.entries(row)) {
      const { type } = codebook[name]![0]!
      const value = read.rows[i]![name]!
      if (name === 'huge') expect(value).toBe(seen(shortened(huge[i]!)))
      else if (type === 'text') expect([name, oneLine(String(value))]).toEqual([name, cell.trimEnd()])
      else expect([i, name, value]).toEqual([i, name, cell === '' ? null : numberOf(cell, type!)])
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

const shortened = (text: string): string =>
  Buffer.byteLength(text) > 32_767 ? `${cut(text, 32_764)}…` : text.trimEnd()

/** Returns a cell as SPSS counts it. */
function numberOf(cell: string, type: string): number {
  if (type === 'number') return Number(cell)
  const [date, time] = type === 'time' ? ['1970-01-01', cell] : cell.split(' ')
  const seconds = Date.parse(`${date}T${time ?? '00:00'}Z`) / 1000
  return type === 'time' ? seconds : seconds + 12_219_379_200
}
