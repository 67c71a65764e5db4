import { beforeAll, describe, expect, test } from '@jest/globals'
import { fakeResponses } from '../../src/domain/response/fake-responses.ts'
import { getSnapshot } from '../../src/domain/survey/snapshot.ts'
import { csvRows } from '../../src/lib/csv.ts'
import { seededRandom } from '../../src/lib/random.ts'
import type { HttpBrowser } from '../support/http-browser.ts'
import { storedResponses } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'
import { signInOwner } from './survey-owner.ts'

const world = useWorld()
let browser: HttpBrowser
let root: string
let all: Awaited<ReturnType<typeof storedResponses>>

beforeAll(async () => {
  const owner = await signInOwner(world)
  await fakeResponses(world.context(), (await getSnapshot(world.em(), owner.id))!, 300, seededRandom(11))
  browser = owner.browser
  root = `/account/surveys/${owner.id}/reports/all/`
  all = await storedResponses(world, owner.id)
})

async function rowsOf(csv: string): Promise<string[][]> {
  const rows: string[][] = []
  for await (const row of csvRows(csv)) rows.push(row)
  return rows
}

interface Line {
  id: string
  answer: string
  count: string
  percentage: string
  mean: string
  median: string
  nps: string
}

async function linesOf(path: string): Promise<Line[]> {
  const { text, status } = await browser.get(root + path)
  expect(status).toBe(200)
  const [head = [], ...rows] = await rowsOf(text)
  return rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at]!])) as unknown as Line)
}

const answersIn = (rows: typeof all, key: string) =>
  rows.map(({ answers }) => (answers as Record<string, unknown>)[key]).filter((value) => value !== undefined)
const share = (part: number, whole: number) => String(Math.round((part / whole) * 1000) / 10)

/** Counts the answers of the stored responses. @returns label, count and percentage of each choice */
function expectedCounts(
  rows: typeof all,
  key: string,
  labels: readonly string[],
  isChosen: (value: unknown, at: number) => boolean,
) {
  const values = answersIn(rows, key)
  return labels.map((label, at) => {
    const count = values.filter((value) => isChosen(value, at)).length
    return [label, String(count), share(count, values.length)]
  })
}

const isChoice = (value: unknown, at: number) => value === at
const hasChoice = (value: unknown, at: number) => (value as number[]).includes(at)
const BREADS = ['Rye', 'Wheat', 'Another one']

describe('the data of a report match a count of the stored responses', () => {
  test.each([
    ['without a filter', '?_completed>=0', () => true],
    ['of complete responses', '?_completed=1', ({ completed }: (typeof all)[number]) => completed === 1],
    [
      'with a choice',
      '?bread=0&_completed>=0',
      ({ answers }: (typeof all)[number]) => (answers as { bread?: unknown }).bread === 0,
    ],
    [
      'with a range of days',
      '?_created_at>=2025-12-20&_created_at<=2025-12-31&_completed>=0',
      ({ created_at }: (typeof all)[number]) => {
        const day = new Date(created_at).toISOString().slice(0, 10)
        return day >= '2025-12-20' && day <= '2025-12-31'
      },
    ],
  ] as const)('%s', async (_, search, isIn) => {
    const rows = all.filter(isIn)
    expect(rows.length).toBeGreaterThan(20)
    const lines = await linesOf(`numbers.csv${search}`)
    const choices = (key: string) =>
      lines
        .filter(({ id, answer }) => id === key && answer)
        .map(({ answer, count, percentage }) => [answer, count, percentage])
    const totalOf = (key: string) => lines.find(({ id, answer }) => id === key && !answer)!
    expect(choices('bread')).toEqual(expectedCounts(rows, 'bread', BREADS, isChoice))
    expect(choices('with')).toEqual(expectedCounts(rows, 'with', ['Butter', 'Cheese', 'Jam', 'Nothing'], hasChoice))
    expect(choices('toast')).toEqual(expectedCounts(rows, 'toast', ['Yes', 'No'], (value, at) => value === (at === 0)))
    for (const key of ['grid_0', 'grid_1'])
      expect(choices(key)).toEqual(expectedCounts(rows, key, ['Never', 'Sometimes', 'Often', 'Always'], isChoice))
    const nps = answersIn(rows, 'nps') as number[]
    const scale = Array.from({ length: 11 }, (_, at) => String(at))
    expect(choices('nps')).toEqual(expectedCounts(rows, 'nps', scale, isChoice))
    const score = nps.reduce((sum, value) => sum + (value > 8 ? 1 : value < 7 ? -1 : 0), 0) / nps.length
    expect(Number(totalOf('nps').nps)).toBeCloseTo(score * 100, 1)
    expect(Number(totalOf('nps').mean)).toBeCloseTo(nps.reduce((sum, value) => sum + value, 0) / nps.length, 3)
    expect(totalOf('name').count).toBe(String(answersIn(rows, 'name').length))
    const ranks = answersIn(rows, 'rank') as number[][]
    const positions = ['Coffee', 'Tea', 'Juice'].map((_label, index) => ranks.map((rank) => rank.indexOf(index) + 1))
    const means = lines.filter(({ id, answer }) => id === 'rank' && answer).map(({ mean }) => Number(mean))
    for (const [index, values] of positions.entries())
      expect(means[index]).toBeCloseTo(values.reduce((sum, position) => sum + position, 0) / values.length, 3)
  })

  test('per day, and on the page', async () => {
    const days = new Map<string, number>()
    for (const { created_at } of all) {
      const day = new Date(created_at).toISOString().slice(0, 10)
      days.set(day, (days.get(day) ?? 0) + 1)
    }
    const { text } = await browser.get(`${root}days/numbers.csv?_completed>=0`)
    const [head, ...rows] = await rowsOf(text)
    expect(head).toEqual(['day', 'count'])
    expect(rows).toEqual([...days].sort().map(([day, count]) => [day, String(count)]))
    const page = (await browser.get(`${root}?_completed>=0`)).text
    expect(page).toContain('>300 responses</h2>')
    for (const [label, count, percentage] of expectedCounts(all, 'bread', BREADS, isChoice))
      expect(page).toContain(`<tr><th scope="row">${label}</th><td>${count}</td><td>${percentage}%</td></tr>`)
  })
})
