// Exporting: ours against a bare COPY of the same columns, in the same run on the same database.
// node scripts/bench/csv.ts [responses] [rounds]
import { execFileSync } from 'node:child_process'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { Pool } from 'pg'
import { from, to } from 'pg-copy-streams'
import { migrate } from '../../src/db/migrate.ts'
import { createLines } from '../../src/domain/response/export/lines.ts'
import { META } from '../../src/domain/response/export/meta.ts'
import { type ExportOptions, plainExport } from '../../src/domain/response/export/options.ts'
import { ExportStream } from '../../src/domain/response/export/stream.ts'
import { compile } from '../../src/domain/structure/compile.ts'
import { normaliseStructure } from '../../src/domain/structure/structure.ts'
import { temporaryDatabase } from './servers.ts'

const choices = (...labels: string[]) => labels.map((label) => ({ label }))
const FREQUENCY = choices('Never', 'Now and then', 'Often', 'Always, or nearly')
const option = (type: string, of: object[]) => [{ type, choices: of }]

/** Twelve answers: four texts, five single choices (two of them rows of a grid), one multiple choice, yes or no, 0 to 10. */
const questionnaire = compile(
  normaliseStructure({
    title: 'Benchmark',
    form: [
      {
        children: [
          ...['name', 'city', 'reason', 'remark'].map((id) => ({ idname: 'text-response', id, title: `Your ${id}` })),
          ...['tea', 'milk', 'sugar'].map((id) => ({
            idname: 'single-choice',
            id,
            title: id,
            children: option('single', FREQUENCY),
          })),
          {
            idname: 'single-choice-grid',
            id: 'rate',
            title: 'Rate',
            choices: FREQUENCY,
            children: [{ label: 'Food' }, { label: 'Drink' }],
          },
          { idname: 'multiple-choice', id: 'days', title: 'Days', children: option('multiple', FREQUENCY) },
          { idname: 'boolean-choice', id: 'again', title: 'Again?' },
          { idname: 'net-promoter', id: 'nps', title: 'Recommend?' },
        ],
      },
    ],
  }),
)

const WORDS = 'the quick brown fox jumps over a lazy dog while seven wizards hum along'.split(' ')
const pick = (row: number, salt: number, count: number) =>
  (Math.imul(row + 1, 2_654_435_761 + salt * 40_503) >>> 4) % count
const text = (row: number, salt: number) =>
  Array.from({ length: 3 + pick(row, salt, 5) }, (_, i) => WORDS[pick(row, salt + i, WORDS.length)]).join(' ')

/** One answer in ten has a comma, one in fifty a quote and a line break. */
const answersOf = (row: number) => ({
  name: text(row, 1),
  city: WORDS[pick(row, 2, WORDS.length)],
  reason: text(row, 3) + (pick(row, 4, 10) === 0 ? ', you know' : ''),
  remark: text(row, 5) + (pick(row, 6, 50) === 0 ? ' "so"\nand more' : ''),
  tea: pick(row, 7, 4),
  milk: pick(row, 8, 4),
  sugar: pick(row, 9, 4),
  rate_0: pick(row, 10, 4),
  rate_1: pick(row, 11, 4),
  days: [0, 1, 2, 3].filter((day) => (pick(row, 12, 16) >> day) & 1),
  again: pick(row, 13, 2) === 0,
  nps: pick(row, 14, 11),
})

function* rows(count: number): Generator<string> {
  for (let row = 0; row < count; row += 1) {
    const answers = JSON.stringify(answersOf(row)).replaceAll('\\', '\\\\')
    const key = row.toString(16).padStart(40, '0')
    const minute = String(row % 60).padStart(2, '0')
    yield `1\t1\t${pick(row, 15, 3)}\t2026-01-15 12:00:${minute}+00\t2026-01-15 12:${minute}:30+00\t${60 + (row % 500)}\t${row % 30}\t\\\\x${key}\t${answers}\ten\t203.0.113.${row % 250}\tutm=mail&a=${row % 10}\thttps://example.org/\n`
  }
}

const SEEDED =
  'survey_id, collector_id, completed, created_at, updated_at, completion_time, weighted_score, key, answers, language, ip_address, get_variables, referrer'

async function seed(pool: Pool, count: number): Promise<void> {
  const client = await pool.connect()
  await pipeline(Readable.from(batched(rows(count))), client.query(from(`copy response (${SEEDED}) from stdin`)))
  await client.query('vacuum analyze response')
  client.release()
}

function* batched(lines: Iterable<string>): Generator<string> {
  let batch = ''
  for (const line of lines) {
    batch += line
    if (batch.length < 65_536) continue
    yield batch
    batch = ''
  }
  yield batch
}

const ALL: ExportOptions = {
  ...plainExport,
  ...{ labels: true, titles: true, keysInHeader: true, stripHtml: true, escapeNewline: true, formulaGuard: true },
  ...{ withKey: true, withUrl: true, withLink: true, bom: true },
}

const contenders: Record<string, (pool: Pool, count: number) => Promise<Readable>> = {
  'bare COPY': async (pool, count) => {
    const columns = [
      ...META.map(({ column }) => column),
      ...questionnaire.fields.map(({ key }) => `answers->>'${key}'`),
    ]
    const client = await pool.connect()
    const stream = client.query(
      to(
        `copy (select ${columns} from response where survey_id = 1 order by id limit ${count}) to stdout (format csv)`,
      ),
    )
    return stream.once('end', () => client.release())
  },
  plain: ours(plainExport),
  labels: ours({ ...plainExport, labels: true }),
  'all flags': ours(ALL),
  inverted: ours({ ...plainExport, inverted: true }),
  'tab separated': ours({ ...plainExport, tabSeparated: true }),
}

function ours(options: ExportOptions) {
  return async (pool: Pool, count: number): Promise<Readable> => {
    const lines = createLines({ questionnaire, options, address: 'https://survey.example.org/surveys/ann/tea/' })
    const sql = `select ${lines.fields} from response where survey_id = 1 order by id limit $1`
    return new ExportStream({ pool, query: { sql, parameters: [count] }, lines, options })
  }
}

/** @returns responses a second, and milliseconds to the first byte */
async function measure(name: string, pool: Pool, count: number): Promise<{ rate: number; first: number }> {
  const start = performance.now()
  let first = 0
  for await (const _ of await contenders[name]!(pool, count)) first ||= performance.now() - start
  return { rate: (count / (performance.now() - start)) * 1000, first }
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!
/** Most memory of a process that does nothing but one export, in megabytes. */
const peakOf = (url: string, count: number): number =>
  Number(
    execFileSync(process.execPath, [fileURLToPath(import.meta.url), 'peak', url, String(count)], { encoding: 'utf8' }),
  )

async function main(count: number, rounds: number): Promise<void> {
  const database = await temporaryDatabase()
  const pool = new Pool({ connectionString: database.url })
  try {
    await migrate(database.url)
    await seed(pool, count)
    const figures = new Map(Object.keys(contenders).map((name) => [name, [] as { rate: number; first: number }[]]))
    for (let round = 0; round < rounds; round += 1)
      for (const [name, measured] of figures) measured.push(await measure(name, pool, count))
    const base = median(figures.get('bare COPY')!.map(({ rate }) => rate))
    for (const [name, measured] of figures) {
      const rate = median(measured.map((figure) => figure.rate))
      const first = median(measured.map((figure) => figure.first))
      console.log(
        `${name.padEnd(14)} ${Math.round(rate).toLocaleString('en').padStart(9)} responses/s  ${(rate / base).toFixed(2)} of COPY  first byte ${first.toFixed(1)} ms`,
      )
    }
    const [small, large] = [peakOf(database.url, Math.min(count, 10_000)), peakOf(database.url, count)]
    console.log(`peak memory    ${small} MB at 10,000, ${large} MB at ${count.toLocaleString('en')}`)
  } finally {
    await pool.end()
    await database.stop()
  }
}

const [first, second, third] = process.argv.slice(2)
if (first === 'peak') {
  const pool = new Pool({ connectionString: second! })
  await measure('plain', pool, Number(third))
  await pool.end()
  console.log(Math.round(process.resourceUsage().maxRSS / 1024))
} else await main(Number(first ?? 1_000_000), Number(second ?? 3))
