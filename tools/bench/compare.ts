// Measures the service of another commit and the service of this tree in the same run, in turn, and prints the ratios
// of their figures with the spread. The lines are those of this tree for both: they use only HTTP. Each service is
// started and its database is filled by the benchmark of its own commit.
// Run: make bench-compare BASE=498e0158 ARGS="submit list csv". SIZE sets the number of responses, ROUNDS the number of
// rounds; the round before the first one is not counted. With GATE=1 the exit code is 1 if a line is so much slower that
// it should not be released (make release).
import { mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Bench, benchOf, checkOut } from './commit.ts'
import { isLoss, median, printStep, stopWith, wholeNumber } from './figures.ts'
import { latencies, PAGE_SIZE, QUERIES, rateOf } from './list.ts'
import { createReport, timeOfReport } from './report.ts'
import { AUTHORIZATION, metric, type Running } from './servers.ts'
import { ANSWERS, FORM, STRUCTURE, submit } from './submit.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const size = wholeNumber('SIZE', 1_000_000, 1_000)
const rounds = wholeNumber('ROUNDS', 5, 1)
/** The least number of rounds from which a line is called better or worse. */
const MIN_ROUNDS = 5
/** The least number of rounds whose range is an interval of 95 % for their median. */
const GATE_ROUNDS = 6
const gate = process.env.GATE === '1'
const SECONDS = 2
/** A new process compiles its code while it answers its first requests. */
const WARM_UP_SECONDS = 4
/** Time after which a service that has started is idle, in milliseconds. */
const IDLE_MS = 5_000
/** Memory of two services with their databases, and disk space of a response and of an empty database, in bytes. */
const MEMORY = 1.5e9
const DISK_PER_RESPONSE = 3_000
const DISK_PER_DATABASE = 5e8

/** What the lines of a group measure: a running service and a survey, or a data folder in which a service can start. */
interface Target {
  bench: Bench
  /** The database, and the process that uses it in this round. */
  url: string
  service: Pick<Running, 'base' | 'stop'>
  survey: number
  /** The path of a report. */
  report: string
  folder: string
}

interface Line {
  name: string
  unit: '/s' | 'ms' | 'MB'
  measure(target: Target): Promise<number>
}

interface Group {
  /** Groups with the same function share its targets. */
  open(bench: Bench): Promise<Partial<Target>>
  lines: readonly Line[]
}

async function openEmpty({ temporaryDatabase, startService, createSurvey }: Bench): Promise<Partial<Target>> {
  const { url } = await temporaryDatabase()
  const service = await startService(url)
  return { url, service, survey: (await createSurvey(service.base, STRUCTURE)).id }
}

async function openFull({ seededDatabase, startService }: Bench): Promise<Partial<Target>> {
  const { url, large } = await seededDatabase(size)
  const service = await startService(url)
  return { url, service, survey: large.id, report: new URL(await createReport(service.base, large.id)).pathname }
}

/** Starts a service in an empty folder, so that it creates its database there. */
async function openFolder(bench: Bench): Promise<Partial<Target>> {
  const folder = newFolder()
  await (await bench.startService(undefined, folder)).stop()
  return { folder }
}

const format = (value: number): string => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en'))
const newFolder = () => mkdtempSync(path.join(tmpdir(), 'start-'))
const responses = ({ service, survey }: Target) => `${service.base}/api/v3/surveys/${survey}/responses/`
const reportOf = ({ service, report }: Target) => service.base + report

const submitLine = (name: string, type: string, body: string): Line => ({
  name,
  unit: '/s',
  async measure(target) {
    const submission = { paths: [new URL(responses(target)).pathname], type, body }
    await submit(target.service.base, submission, WARM_UP_SECONDS)
    return (await submit(target.service.base, submission, SECONDS)).rate
  },
})

const exportLine = (name: string, query: string): Line => ({
  name,
  unit: '/s',
  async measure({ service, survey }) {
    const start = performance.now()
    const url = `${service.base}/api/v3/surveys/${survey}/csv/?${query}`
    const reply = await fetch(url, { headers: { authorization: AUTHORIZATION } })
    if (!reply.ok) throw new Error(`${url}: ${await reply.text()}`)
    for await (const _ of reply.body!);
    return (size * 1000) / (performance.now() - start)
  },
})

/** Measures a service in a folder until its first reply, or what `then` returns. */
const startLine = (name: string, unit: 'ms' | 'MB', folderOf: (target: Target) => string, then = elapsed): Line => ({
  name,
  unit,
  async measure(target) {
    const start = performance.now()
    const service = await target.bench.startService(undefined, folderOf(target))
    try {
      return await then(start, service.base)
    } finally {
      await service.stop()
    }
  },
})

async function elapsed(start: number, _base: string): Promise<number> {
  return performance.now() - start
}

async function residentMegabytes(_start: number, base: string): Promise<number> {
  await pause(IDLE_MS)
  return (await metric(base, 'process_resident_memory_bytes')) / 1e6
}

const groups: Readonly<Record<string, Group>> = {
  start: {
    open: openFolder,
    lines: [
      startLine('cold', 'ms', newFolder),
      startLine('warm', 'ms', ({ folder }) => folder),
      startLine('memory when idle', 'MB', ({ folder }) => folder, residentMegabytes),
    ],
  },
  submit: {
    open: openEmpty,
    lines: [
      submitLine('form', 'application/x-www-form-urlencoded', FORM),
      submitLine('JSON', 'application/json', JSON.stringify(ANSWERS)),
    ],
  },
  list: {
    open: openFull,
    lines: [
      {
        name: `page of ${PAGE_SIZE}, 64 connections`,
        unit: '/s',
        measure: (target) => rateOf(responses(target), SECONDS),
      },
      ...Object.entries(QUERIES).map(
        ([name, query]): Line => ({
          name,
          unit: 'ms',
          measure: async (target) => (await latencies([`${responses(target)}?${query(size)}`]))[0]!,
        }),
      ),
    ],
  },
  report: {
    open: openFull,
    lines: [
      { name: 'later', unit: 'ms', measure: (target) => timeOfReport(reportOf(target)) },
      { name: 'of two choices', unit: 'ms', measure: (target) => timeOfReport(`${reportOf(target)}?tea=2&milk=1`) },
    ],
  },
  csv: {
    open: openFull,
    lines: [
      exportLine('plain', ''),
      exportLine('labels', 'include_labels'),
      exportLine(
        'all flags',
        'include_labels&show_titles&include_id&strip_html&escape_newline&formula_guard&include_key&include_url&include_response_link&bom',
      ),
      exportLine('inverted', 'inverted'),
    ],
  },
}

const args = process.argv.slice(2)
const names = args.length ? args : Object.keys(groups)
const unknown = names.find((name) => !groups[name])
if (unknown !== undefined)
  stopWith(`bench-compare has no lines ${unknown}. Use one or more of ${Object.keys(groups).join(', ')}.`)
if (gate && rounds < GATE_ROUNDS) stopWith(`A release needs at least ${GATE_ROUNDS} rounds. Set ROUNDS=${GATE_ROUNDS}.`)
const free = process.availableMemory()
if (free < MEMORY)
  stopWith(`bench-compare needs ${MEMORY / 1e6} MB of free memory; there are ${Math.round(free / 1e6)} MB. Free some.`)
const { bavail, bsize } = statfsSync(tmpdir())
const seeded = names.some((name) => groups[name]!.open === openFull) ? size : 0
const disk = 2 * (seeded * DISK_PER_RESPONSE + DISK_PER_DATABASE)
if (bavail * bsize < disk)
  stopWith(
    `bench-compare needs ${Math.ceil(disk / 1e9)} GB in ${path.dirname(tmpdir())}. Set TMPDIR to a folder with more space, or use a smaller SIZE.`,
  )

const losses = await compare().catch((error: Error) => {
  console.error(`bench-compare failed: ${error.message}`)
  process.exit(1)
})
if (gate && losses.length)
  console.error(
    `Lost more than 15 %: ${losses.join(', ')}. Find the cause, or run make release GATE=0 and say why in CHANGELOG.md.`,
  )
// The servers still run. tools/run.ts ends them.
process.exit(gate && losses.length ? 1 : 0)

/** Measures all lines, prints them, and returns the names of those that lost too much to be released. */
async function compare(): Promise<string[]> {
  const { commit, folder } = checkOut(root, process.env.BASE ?? '')
  const benches = [await benchOf(folder, commit), await benchOf(root, 'this tree')]
  const opened = new Map<Group['open'], Target[]>()
  const lost: string[] = []
  console.log(`Base: ${commit}. Rounds: ${rounds}. Responses: ${size.toLocaleString('en')}. Ratio: this tree ÷ base.`)
  for (const name of names) {
    const { open, lines } = groups[name]!
    const targets = opened.get(open) ?? (await openAll(benches, open))
    opened.set(open, targets)
    const figures = await measureInTurn(name, lines, targets)
    print([name, 'base', 'this tree', 'ratio', 'from', 'to'])
    for (const [index, line] of lines.entries()) {
      const ratios = printLine(line, figures[index]!)
      if (isLoss(ratios, line.unit)) lost.push(`${name} ${line.name}`)
    }
  }
  return lost
}

async function openAll(benches: readonly Bench[], open: Group['open']): Promise<Target[]> {
  const targets: Target[] = []
  for (const bench of benches) {
    printStep(`preparing ${bench.name}`)
    targets.push({ bench, ...(await open(bench)) } as Target)
  }
  return targets
}

/** Returns, for each line, the figures of each round: of the base, and of this tree. */
async function measureInTurn(name: string, lines: readonly Line[], targets: readonly Target[]) {
  const figures = lines.map(() => [] as [number, number][])
  for (let round = 0; round <= rounds; round += 1) {
    printStep(round ? `${name}, round ${round} of ${rounds}` : `${name}, warming up`)
    for (const target of targets) await startAnew(target)
    for (const [index, line] of lines.entries()) {
      const pair: [number, number] = [0, 0]
      // The first of two measurements can have an advantage, so each side is the first one in every other round.
      const order = round % 2 ? ([0, 1] as const) : ([1, 0] as const)
      for (const side of order) pair[side] = await line.measure(targets[side]!)
      if (round > 0) figures[index]!.push(pair)
    }
  }
  return figures
}

/**
 * Starts the service of a target in a new process. Two processes of one commit can differ in speed by 20 % for as long
 * as they run, so rounds in the same two processes would compare their luck.
 */
async function startAnew(target: Target): Promise<void> {
  if (!target.url) return
  await target.service.stop()
  target.service = await target.bench.startService(target.url)
}

/** Prints a line, and returns the ratio of each round. */
function printLine({ name, unit }: Line, pairs: readonly [number, number][]): number[] {
  const figure = (side: 0 | 1) => `${format(median(pairs.map((pair) => pair[side])))} ${unit}`
  const ratios = pairs.map(([base, tree]) => tree / base)
  const shown = [median(ratios), Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2))
  print([`  ${name}`, figure(0), figure(1), ...shown, verdictOn(shown.map(Number), unit)])
  return ratios
}

/** Returns whether this tree is better in every round. From few rounds, it would too often be so by chance. */
function verdictOn([, least, most]: readonly number[], unit: Line['unit']): string {
  if (rounds < MIN_ROUNDS || (least! <= 1 && most! >= 1)) return ''
  return least! > 1 === (unit === '/s') ? ' better' : ' worse'
}

function print([name, ...cells]: readonly string[]): void {
  console.log(
    [name!.padEnd(34), ...cells.map((cell, column) => cell.padStart(column < 2 ? 14 : 7))].join(' ').trimEnd(),
  )
}
