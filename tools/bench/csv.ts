// Measures the export relative to a bare COPY of the same columns, in the same run on the same database.
import { execFileSync } from 'node:child_process'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Pool } from 'pg'
import { to } from 'pg-copy-streams'
import { DEFAULT_EXPORT_OPTIONS, type ExportOptions } from '../../src/domain/response/export/columns.ts'
import { ExportStream } from '../../src/domain/response/export/export.ts'
import { createLines } from '../../src/domain/response/export/lines.ts'
import { openSession } from '../../src/domain/response/export/session.ts'
import { responseView } from '../../src/domain/response/list/response-view.ts'
import { compile } from '../../src/domain/structure/compile.ts'
import { metaFields } from '../../src/domain/structure/meta-fields.ts'
import { normaliseStructure } from '../../src/domain/structure/structure.ts'
import type { SurveySnapshot } from '../../src/domain/survey/snapshot.ts'
import { line, median, printStep, ratio } from './figures.ts'
import { SURVEY } from './sample.ts'
import type { Seeded } from './seeded.ts'
import { RUN_OPTIONS } from './servers.ts'

const questionnaire = compile(normaliseStructure(SURVEY))

/** What the view of a response needs of its survey. */
const SNAPSHOT = { id: 1, questionnaire, settings: {}, collectors: new Map() } as unknown as SurveySnapshot

const ALL: ExportOptions = {
  ...DEFAULT_EXPORT_OPTIONS,
  ...{ labels: true, titles: true, keysInHeader: true, stripHtml: true, escapeNewline: true, formulaGuard: true },
  ...{ withKey: true, withUrl: true, withLink: true, bom: true },
}

const contenders: Record<string, (pool: Pool, surveyId: number, count: number) => Promise<Readable>> = {
  'bare COPY': async (pool, surveyId, count) => {
    const columns = [
      ...metaFields.filter(({ exported }) => exported).map(({ column }) => column),
      ...questionnaire.fields.map(({ key }) => `answers->>'${key}'`),
    ]
    const client = await pool.connect()
    const stream = client.query(
      to(
        `copy (select ${columns} from response where survey_id = ${surveyId} order by id limit ${count}) to stdout (format csv)`,
      ),
    )
    return stream.once('end', () => client.release())
  },
  plain: ours(DEFAULT_EXPORT_OPTIONS),
  labels: ours({ ...DEFAULT_EXPORT_OPTIONS, labels: true }),
  'all flags': ours(ALL),
  inverted: ours({ ...DEFAULT_EXPORT_OPTIONS, inverted: true }),
  statistics: ours({ ...DEFAULT_EXPORT_OPTIONS, statistics: true }),
  sav: ours({ ...DEFAULT_EXPORT_OPTIONS, format: 'sav' }),
  jsonl: ours({ ...DEFAULT_EXPORT_OPTIONS, format: 'jsonl' }),
  dta: ours({ ...DEFAULT_EXPORT_OPTIONS, format: 'dta' }),
  parquet: ours({ ...DEFAULT_EXPORT_OPTIONS, format: 'parquet' }),
}

function ours(options: ExportOptions) {
  return async (pool: Pool, surveyId: number, count: number): Promise<Readable> => {
    const lines = createLines({
      questionnaire,
      options,
      files: '',
      numbers: {},
      survey: surveyId,
      view: (row) => responseView({ baseUrl: '' }, SNAPSHOT, row, {}),
      address: 'https://survey.example.org/surveys/ann/tea/',
    })
    const sql = `select ${lines.fields} from response where survey_id = $1 order by id limit $2`
    const rows = () => ({ sql, parameters: [surveyId, count] })
    return new ExportStream({ session: () => openSession(pool), rows, lines, options })
  }
}

interface Measurement {
  /** Responses per second. */
  rate: number
  /** Milliseconds until the first byte. */
  firstByteMs: number
}

async function measure(name: string, pool: Pool, surveyId: number, count: number): Promise<Measurement> {
  const start = performance.now()
  let firstByteMs = 0
  for await (const _ of await contenders[name]!(pool, surveyId, count)) firstByteMs ||= performance.now() - start
  return { rate: (count / (performance.now() - start)) * 1000, firstByteMs }
}

/** Returns the peak memory of a process that runs one export, in megabytes. */
function peakOf(url: string, surveyId: number, count: number): number {
  // The program sets the second option (main.mjs).
  const options = [...RUN_OPTIONS, '--no-allocation-site-pretenuring']
  const args = [...options, fileURLToPath(import.meta.url), url, String(surveyId), String(count)]
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

/** The minimum speed of each kind of export relative to COPY. */
const GOALS: Readonly<Record<string, number>> = { plain: 1, labels: 1, 'all flags': 0.85, inverted: 0.75 }
/** The minimum speed of the formats of programs relative to CSV. */
const FORMAT_GOAL = 0.5
const FORMATS = ['sav', 'dta', 'parquet'] as const
/** The maximum additional memory for a hundred times as many responses. */
const MAX_EXTRA_MEMORY_MB = 40

/** Measures each kind of export of the large survey `rounds` times. */
export async function benchCsv({ url, large }: Seeded, rounds = 3): Promise<void> {
  const pool = new Pool({ connectionString: url })
  const figures = new Map(Object.keys(contenders).map((name) => [name, [] as Measurement[]]))
  try {
    for (let round = 0; round < rounds; round += 1) {
      printStep(`csv, round ${round + 1} of ${rounds}`)
      for (const [name, measured] of figures) measured.push(await measure(name, pool, large.id, large.responses))
    }
  } finally {
    await pool.end()
  }
  const rateOf = (name: string) => median(figures.get(name)!.map(({ rate }) => rate))
  console.log(`csv: ${large.responses.toLocaleString('en')} responses`)
  for (const [name, measured] of figures) {
    const first = median(measured.map(({ firstByteMs }) => firstByteMs))
    line(name, `${Math.round(rateOf(name)).toLocaleString('en')}/s`, `first byte ${first.toFixed(1)} ms`)
  }
  for (const [name, atLeast] of Object.entries(GOALS))
    ratio(`${name} ÷ bare COPY`, rateOf(name) / rateOf('bare COPY'), { atLeast })
  for (const format of FORMATS) ratio(`${format} ÷ plain`, rateOf(format) / rateOf('plain'), { atLeast: FORMAT_GOAL })
  const [few, all] = [peakOf(url, large.id, Math.min(large.responses, 10_000)), peakOf(url, large.id, large.responses)]
  line('peak memory', `${all} MB`, `${few} MB at 10,000`)
  ratio('additional memory, in MB', all - few, { atMost: MAX_EXTRA_MEMORY_MB })
}

// Runs only in the process that peakOf starts.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [url, surveyId, count] = process.argv.slice(2)
  const pool = new Pool({ connectionString: url! })
  // This does not use resourceUsage().maxRSS, because on Linux that value includes the memory of the parent process.
  let peak = 0
  const sampler = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 5)
  await measure('plain', pool, Number(surveyId), Number(count))
  clearInterval(sampler)
  await pool.end()
  console.log(Math.round(peak / 2 ** 20))
}
