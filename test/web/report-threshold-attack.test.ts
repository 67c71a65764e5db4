import { beforeAll, describe, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { isComputable, isIncomplete } from '../../src/domain/report/publication.ts'
import { publishedCount } from '../../src/domain/survey/settings.ts'
import type { Tables } from '../../src/domain/tables.ts'
import { seededRandom } from '../../src/lib/random.ts'
import fc from '../support/fast-check.ts'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { addSurvey, pageOf, single, text } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'

/** Proof and rule: docs/anonymity-threshold.md. */
const N = 5
const COMBINATIONS = 10_000
const MOMENTS = 24
/** Categories into which text answers are coded. */
const CATEGORIES = 'KL'

interface Answers {
  team: number
  vote: number
  likes: number[]
  /** The categories of the text answer; undefined: no answer, or not coded. */
  why?: number[] | undefined
}

/** The filters of the shared reports, the same filters for the model, and the reports that contain all their responses. */
const REPORTS: readonly { query: string; matches: (one: Answers) => boolean; within: readonly number[] }[] = [
  { query: '', matches: () => true, within: [] },
  { query: 'team=0', matches: ({ team }) => team === 0, within: [0, 4] },
  { query: 'team=1', matches: ({ team }) => team === 1, within: [0, 4] },
  { query: 'team=2', matches: ({ team }) => team === 2, within: [0] },
  { query: 'team<2', matches: ({ team }) => team < 2, within: [0] },
  { query: 'vote=0', matches: ({ vote }) => vote === 0, within: [0, 6] },
  { query: 'vote<2', matches: ({ vote }) => vote < 2, within: [0] },
  { query: 'team=0&vote=0', matches: ({ team, vote }) => team === 0 && vote === 0, within: [0, 1, 4, 5, 6] },
  { query: 'vote=2', matches: ({ vote }) => vote === 2, within: [0] },
  { query: 'team>=1', matches: ({ team }) => team >= 1, within: [0] },
]

/** What a guest sees of a report; `since`: the moment at which it was counted; −1: it shows nothing. */
interface Seen {
  report: number
  since: number
  cells: ReadonlyMap<string, number>
}

const seed = Number(process.env.ATTACK_SEED ?? Math.floor(Math.random() * 2 ** 32))
const world = useWorld()
const random = seededRandom(seed)
const below = (limit: number) => Math.floor(random() * limit)
const seen: Seen[] = []
const truth: Answers[][] = []

const cellsOf = (csv: string): Map<string, number> =>
  new Map(
    csv
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(','))
      .map(([key, , , label, count]) => [`${key} ${label}`, Number(count)]),
  )

/** Returns how many responses the publication of a report counts, as an attacker may know from elsewhere. */
async function publishedOf(surveyId: number, report: number): Promise<number> {
  const { rows } = await sql<{
    matched: number
  }>`select coalesce(max((state->>'matched')::bigint), 0) as matched from report
    left join report_publication using (survey_id)
    where survey_id = ${surveyId} and title = ${`R${REPORTS[report]!.query}`}
      and population = encode(sha256(convert_to(query, 'UTF8')), 'hex') and state->>'withheld' = 'false'`.execute(
    world.em().getKysely<Tables>(),
  )
  return Number(rows[0]!.matched)
}

/** Adds responses in small steps, and reads all shared reports as a guest after each step. */
beforeAll(async () => {
  console.info(`ATTACK_SEED=${seed}`)
  const owner = await world.person()
  const browser = await signInAs(owner)
  const { survey } = await addSurvey(owner, {
    title: 'Attack',
    form: [
      pageOf(
        single('team', ['A', 'B', 'C']),
        single('vote', ['X', 'Y', 'Z']),
        {
          idname: 'multiple-choice',
          id: 'likes',
          title: 'Likes',
          children: [{ type: 'multiple', choices: [{ label: 'P' }, { label: 'Q' }] }],
        },
        text('why'),
      ),
    ],
  })
  const coding = `/api/v3/surveys/${survey.id}/coding/`
  const categories: number[] = []
  for (const name of CATEGORIES)
    categories.push((await owner.post(`${coding}categories/`, { json: { name } })).body.id as number)
  const root = `/account/surveys/${survey.id}/reports/`
  await browser.get(root)
  await browser.post(`${root}sharing/`, { sharing_password: 'open sesame' })
  for (const { query } of REPORTS) await browser.post(`${root}new/`, { title: `R${query}`, scope: 'all', query })
  const links = [...(await browser.get(root)).text.matchAll(/<a class="address" href="([^"]*)"/g)].map(
    ([, link]) => new URL(link!).pathname,
  )
  expect(links).toHaveLength(REPORTS.length)
  const guest = new HttpBrowser(world.base)
  await guest.post(links[0]!, { password: 'open sesame' })
  const stored: Answers[] = []
  for (let moment = 0; moment < MOMENTS; moment += 1) {
    for (let added = 1 + below(4); added > 0; added -= 1) {
      const answers = {
        team: [0, 0, 0, 1, 1, 2][below(6)]!,
        vote: [0, 0, 0, 0, 1, 1, 2][below(7)]!,
        likes: [0, 1].filter(() => random() < 0.6),
        ...(random() < 0.8 && { why: [0, 1].filter(() => random() < 0.6) }),
      }
      const { likes, why, ...rest } = answers
      const { id } = await respond(world, survey.id, {
        answers: { ...rest, ...(likes.length > 0 && { likes }), ...(why && { why: 'Because' }) },
      })
      const add = (why ?? []).map((index) => categories[index]!)
      if (add.length > 0) {
        const json = { answers: [{ response_id: id, key: 'why' }], add }
        expect((await owner.post(`${coding}answers/`, { json })).status).toBe(200)
      }
      stored.push(answers)
    }
    truth.push([...stored])
    for (const [report, link] of links.entries()) {
      const cells = cellsOf((await guest.get(`${link}numbers.csv`)).text)
      const matched = await publishedOf(survey.id, report)
      seen.push({ report, since: truth.findIndex((_, at) => among(report, at).length === matched), cells })
    }
  }
}, 120_000)

const among = (report: number, moment: number) => (truth[moment] ?? []).filter(REPORTS[report]!.matches)
const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)]!
const isSmall = (count: number) => count > 0 && count < N

/** Returns all numbers that a count can be that was published as this number. */
const possible = (published: number, step: number) => Array.from({ length: step }, (_, rest) => published + rest)

/**
 * Tries all numbers that an inner and an outer count can be.
 * @returns the numbers that the difference of both can be
 */
function differences(inner: number, outer: number, step: number): number[] {
  const found = new Set<number>()
  for (const a of possible(inner, step)) for (const b of possible(outer, step)) if (a <= b) found.add(b - a)
  return [...found]
}

/** Tries all numbers of answers to a question that add up to a number of responses, and returns those of one answer. */
function numbersOf(published: readonly number[], size: number, index: number, step: number): Set<number> {
  const found = new Set<number>()
  const visit = (at: number, left: number, own: number) => {
    if (at === published.length) {
      if (left === 0) found.add(own)
      return
    }
    for (const count of possible(published[at]!, step))
      if (count <= left) visit(at + 1, left - count, at === index ? count : own)
  }
  visit(0, size, 0)
  return found
}

describe('the published figures of shared reports [spec 10.8]', () => {
  test(`no combination of ${COMBINATIONS} of reports, filters and moments is a number below the threshold`, () => {
    for (let n = 0; n < COMBINATIONS; n += 1) {
      const [a, b, c] = [pick(seen), pick(seen), pick(seen)]
      const names = [...a.cells.keys()]
      const [x, y, z] = [a, b, c].map((one) => one.cells.get(pick(names))!) as [number, number, number]
      for (const value of [x - y, x - y - z, x + y - z, 2 * x - y - z])
        if (isSmall(Math.abs(value))) expect(value).toBe('a multiple')
    }
    expect(seen.some(({ cells }) => [...cells.values()].some((count) => count > 0))).toBe(true)
    expect(seen.some(({ cells }) => [...CATEGORIES].some((name) => (cells.get(`why ${name}`) ?? 0) > 0))).toBe(true)
  })

  /** Returns how many differences of two published counts must be from 1 to the threshold − 1. */
  function attackPairs(countOf: (one: Seen, cell: string) => number, step: number): number {
    let found = 0
    for (let n = 0; n < COMBINATIONS; n += 1) {
      const inner = pick(seen)
      const outer = pick(
        seen.filter(
          ({ report, since }) =>
            since >= inner.since && (report === inner.report || REPORTS[inner.report]!.within.includes(report)),
        ),
      )
      const cell = pick([...inner.cells.keys()])
      const [a, b] = [countOf(inner, cell), countOf(outer, cell)]
      const all = differences(a, b, step)
      if (all.length > 0 && all.every(isSmall)) found += 1
      if (possible(a, step).every(isSmall)) found += 1
    }
    return found
  }

  test(`no difference of ${COMBINATIONS} pairs of reports and moments must be below the threshold`, () => {
    expect(attackPairs(({ cells }, cell) => cells.get(cell)!, N)).toBe(0)
  })

  test('the same attack succeeds against exact counts', () => {
    const exact = ({ report, since }: Seen, cell: string) => {
      const [key, label] = cell.split(' ') as ['team' | 'vote' | 'likes' | 'why', string]
      const index = { team: 'ABC', vote: 'XYZ', likes: 'PQ', why: CATEGORIES }[key].indexOf(label || '?')
      const chosen = ({ [key]: answer }: Answers) =>
        index < 0 ? answer !== undefined : [answer].flat().includes(index)
      return among(report, since).filter(chosen).length
    }
    expect(attackPairs(exact, 1)).toBeGreaterThan(COMBINATIONS / 10)
  })

  test('of an answer shown as 0, readers who know how many responded cannot exclude 0, or no number below the threshold', () => {
    for (const { report, since, cells } of seen.filter((one) => one.since >= 0))
      for (const key of ['team', 'vote']) {
        const published = [...cells].filter(([name]) => name.startsWith(`${key} `)).slice(1)
        const counts = published.map(([, count]) => count)
        if (counts.every((count) => count === 0)) continue
        for (const index of counts.keys())
          if (counts[index] === 0) {
            const found = numbersOf(counts, among(report, since).length, index, N)
            expect(found.has(0) || [1, 2, 3, 4].every((count) => found.has(count))).toBe(true)
          }
      }
  })

  test('a report changes only after as many responses have joined as the threshold says', () => {
    for (const report of REPORTS.keys()) {
      const own = seen.filter((one) => one.report === report && one.since >= 0)
      const moments = [...new Set(own.map(({ since }) => since))]
      const shown = moments.map((moment) => among(report, moment).length)
      for (const [at, count] of shown.entries()) if (at > 0) expect(count - shown[at - 1]!).toBeGreaterThanOrEqual(N)
    }
  })

  test('counts of a question are hidden if rounding leaves less than four fifths of its answers', () => {
    for (const [counts, expected] of [
      [[6, 4], true],
      [[4, 4, 4, 40], true],
      [[9, 41], false],
      [[48, 2], false],
      [[0, 0], false],
    ] as const)
      expect([counts, isIncomplete(counts, N)]).toEqual([counts, expected])
  })

  test('counts of a question are hidden exactly if all numbers that fit say too much about an answer shown as 0', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 14 }), { minLength: 2, maxLength: 4 }), (counts) => {
        const size = counts.reduce((sum, count) => sum + count, 0)
        const shown = counts.map((count) => publishedCount(count, N))
        const tellsTooMuch = counts.some((count, index) => {
          if (!isSmall(count)) return false
          const found = numbersOf(shown, size, index, N)
          return !found.has(0) && [1, 2, 3, 4].some((one) => !found.has(one))
        })
        expect(isComputable(counts, size, N)).toBe(tellsTooMuch)
      }),
    )
  })
})
