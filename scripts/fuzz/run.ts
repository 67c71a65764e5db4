import { spawn } from 'node:child_process'
import { AUTHORIZATION, admin, startService, temporaryDatabase } from '../bench/servers.ts'
import type { Tool } from './schemathesis.ts'
import { createObjects } from './seed.ts'

/** A run of Schemathesis. */
export interface Run {
  seed: number
  /** Names of phases, separated by commas. */
  phases: string
  /** The option that limits the run. */
  limit: readonly string[]
}

/** The interval of progress messages. */
const PROGRESS_INTERVAL_MS = 30_000

/**
 * Fuzzes a version on a separate server and database. Prints the output of Schemathesis at the end, so that versions can
 * run in parallel.
 * @returns the exit code of Schemathesis
 */
export async function runAgainst(tool: Tool, root: string, version: string, run: Run): Promise<number> {
  const database = await temporaryDatabase()
  try {
    // No worker, so that no message leaves the machine.
    const service = await startService(database.url, undefined, { WORKER: 'off', LOG_LEVEL: 'silent' })
    try {
      const objectIds = JSON.stringify(await createObjects(service.base, AUTHORIZATION))
      return await schemathesis(tool, root, version, service.base, run, {
        CANVASS_OBJECT_IDS: objectIds,
        PYTHONPATH: `${tool.root}/test/fuzz`,
        // Makes the order of sets and dictionaries in Python reproducible.
        PYTHONHASHSEED: '0',
      })
    } finally {
      await service.stop()
    }
  } finally {
    await database.stop()
  }
}

function schemathesis(
  tool: Tool,
  root: string,
  version: string,
  base: string,
  { seed, phases, limit }: Run,
  environment: Record<string, string>,
): Promise<number> {
  const args = [
    ...['--config-file', `${tool.root}/test/fuzz/schemathesis.toml`, 'run', '--no-color'],
    ...['--url', `${base}/api/${version}`, '--auth', `${admin.apiKey}:${admin.password}`],
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
      console.log(code === 0 ? summary(text) : text)
      console.log(`fuzz: ${version} ${code === 0 ? 'passed' : 'FAILED'}, seed ${seed}, ${seconds()} s`)
      resolve(code ?? 1)
    })
  }).finally(() => clearInterval(progress)) as Promise<number>
}

/** Returns the summary of a run without failures. */
const summary = (text: string): string =>
  text
    .split('\n')
    .filter((line) => /^ +(Operations|API Links|Scenarios):|generated|^fuzz:/.test(line))
    .map((line) => line.trim())
    .join('\n')
