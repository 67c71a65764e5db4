import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { AUTHORIZATION, admin, startService, temporaryDatabase } from '../bench/servers.ts'
import { createAccessToken } from './access-token.ts'
import { parseOutput, summaryOf } from './output.ts'
import { failuresIn, sectionsOf } from './outside.ts'
import type { Tool } from './schemathesis.ts'
import { createObjects } from './seed.ts'

/** A run of Schemathesis. */
export interface Run {
  seed: number
  /** Names of phases, separated by commas. */
  phases: string
  /** The options of Schemathesis that limit the run. */
  limit: readonly string[]
  /** Whether requests have an access token (OAuth 2.0) instead of HTTP Basic. */
  hasToken?: boolean
  /** The minimum share of links that the run must follow. */
  minLinkShare?: number
  /**
   * Whether to use the default settings of Schemathesis, without hooks. The run then passes if the specification
   * requires every reply that Schemathesis reports as a failure.
   */
  outside?: boolean
}

/** The result of a run. */
export interface Outcome {
  passed: boolean
  /** The exclusions that the run did not use. */
  unused: string[]
}

/** The option with the credentials of HTTP Basic. */
const BASIC = ['--auth', `${admin.apiKey}:${admin.password}`]

/** The interval of progress messages. */
const PROGRESS_INTERVAL_MS = 30_000

/**
 * Fuzzes a version on a separate server and database. Prints the output of Schemathesis at the end, so that versions
 * can run in parallel.
 */
export async function runAgainst(tool: Tool, root: string, version: string, run: Run): Promise<Outcome> {
  const database = await temporaryDatabase()
  try {
    // No worker runs, so no email or webhook is sent.
    const service = await startService(database.url, undefined, { WORKER: 'off', LOG_LEVEL: 'silent' })
    try {
      if (run.outside) return await runOutside(tool, root, version, service.base, database.url, run)
      const objectIds = JSON.stringify(await createObjects(service.base, database.url, AUTHORIZATION))
      const environment = {
        CANVASS_OBJECT_IDS: objectIds,
        CANVASS_API: `${service.base}/api`,
        CANVASS_ACCOUNT: JSON.stringify(admin),
        PYTHONPATH: `${tool.root}/tools/fuzz`,
        // Makes the order of sets and dictionaries in Python reproducible.
        PYTHONHASHSEED: '0',
      }
      const credentials = run.hasToken
        ? ['--header', `Authorization: Bearer ${await createAccessToken(service.base)}`]
        : BASIC
      return await schemathesis(tool, root, version, service.base, run, environment, credentials)
    } finally {
      await service.stop()
    }
  } finally {
    await database.stop()
  }
}

/**
 * Fuzzes with the default settings of Schemathesis, as a user without knowledge of this project does. The run passes if
 * the specification requires every reply that Schemathesis reports as a failure.
 */
async function runOutside(
  tool: Tool,
  root: string,
  version: string,
  base: string,
  database: string,
  run: Run,
): Promise<Outcome> {
  await createObjects(base, database, AUTHORIZATION)
  const name = `build/fuzz-${version}-${run.seed}.ndjson`
  await schemathesis(tool, root, version, base, run, {}, [
    ...BASIC,
    ...['--report', 'ndjson', '--report-ndjson-path', `${tool.root}/${name}`],
  ])
  const failures = await failuresIn(path.join(root, name), path.join(root, 'generated', version, 'openapi.json'))
  const sectionOf = await sectionsOf(root)
  const lines = new Map<string, number>()
  let unexpected = 0
  for (const failure of failures) {
    const section = sectionOf(failure)
    if (section === undefined) unexpected += 1
    const { operation, type, status, codes } = failure
    const line = `${section === undefined ? 'UNEXPECTED' : `section ${section}`}: ${operation} ${type} ${status} ${codes.join(' ')}`
    lines.set(line, (lines.get(line) ?? 0) + 1)
  }
  for (const [line, count] of [...lines].sort()) console.log(`fuzz: ${version}: ${count} times: ${line}`)
  console.log(`fuzz: ${version} ${unexpected ? 'FAILED' : 'passed'} from outside, seed ${run.seed}, report in ${name}`)
  return { passed: unexpected === 0, unused: [] }
}

function schemathesis(
  tool: Tool,
  root: string,
  version: string,
  base: string,
  { seed, phases, limit, outside, minLinkShare = 0 }: Run,
  environment: Record<string, string>,
  options: readonly string[],
): Promise<Outcome> {
  const args = [
    ...(outside ? [] : ['--config-file', `${tool.root}/tools/fuzz/schemathesis.toml`]),
    ...['run', '--no-color', ...options],
    ...['--url', `${base}/api/${version}`],
    ...(process.env.FUZZ_OPERATION ? ['--include-operation-id', process.env.FUZZ_OPERATION] : []),
    ...(process.env.FUZZ_TEXT
      ? ['--report', 'ndjson', '--report-ndjson-path', `${process.env.FUZZ_TEXT}-${version}-${seed}.ndjson`]
      : []),
    ...['--checks', 'all', '--phases', phases, '--mode', 'all', '--seed', String(seed), ...limit],
    `${tool.root}/generated/${version}/openapi.json`,
  ]
  const started = performance.now()
  const seconds = () => Math.round((performance.now() - started) / 1000)
  const child = spawn(tool.command, [...tool.args(Object.keys(environment)), ...args], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk))
  const progress = setInterval(
    () => console.log(`fuzz: ${version}, seed ${seed}: ${seconds()} s`),
    PROGRESS_INTERVAL_MS,
  )
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      const text = Buffer.concat(output).toString('utf8')
      if (process.env.FUZZ_TEXT) writeFileSync(`${process.env.FUZZ_TEXT}-${version}-${seed}.txt`, text)
      const { linkShare = 1, unused } = parseOutput(text)
      const followsLinks = outside || linkShare >= minLinkShare
      const passed = code === 0 && followsLinks
      console.log(code === 0 || outside ? summaryOf(text) : text)
      if (!followsLinks)
        console.log(`fuzz: ${version} followed less than ${Math.round(minLinkShare * 100)} % of the links`)
      if (!outside) console.log(`fuzz: ${version} ${passed ? 'passed' : 'FAILED'}, seed ${seed}, ${seconds()} s`)
      resolve({ passed, unused })
    })
  }).finally(() => clearInterval(progress)) as Promise<Outcome>
}
