import { spawn } from 'node:child_process'
import { AUTHORIZATION, admin, startService, temporaryDatabase } from '../bench/servers.ts'
import type { Tool } from './schemathesis.ts'
import { seed as makeThings } from './seed.ts'

/** One go of Schemathesis through a document. */
export interface Run {
  seed: number
  /** Names of phases with commas between. */
  phases: string
  /** The option that ends it. */
  limit: readonly string[]
}

/** Milliseconds between two signs of life. */
const SIGN = 30_000

/**
 * Fuzzes one version on a server and a database of its own. What Schemathesis says is printed in one piece at its end,
 * so that two versions can run side by side.
 * @returns the exit code of Schemathesis
 */
export async function runAgainst(tool: Tool, root: string, version: string, run: Run): Promise<number> {
  const database = await temporaryDatabase()
  try {
    // No worker: what is made up here must not be sent to anybody.
    const service = await startService(database.url, undefined, { WORKER: 'off', LOG_LEVEL: 'silent' })
    try {
      const things = JSON.stringify(await makeThings(service.base, AUTHORIZATION))
      return await schemathesis(tool, root, version, service.base, run, {
        CANVASS_THINGS: things,
        PYTHONPATH: `${tool.root}/test/fuzz`,
        // Sets and dictionaries of Python would otherwise have another order in each run.
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
  const words = [
    ...['--config-file', `${tool.root}/test/fuzz/schemathesis.toml`, 'run', '--no-color'],
    ...['--url', `${base}/api/${version}`, '--auth', `${admin.apiKey}:${admin.password}`],
    ...['--checks', 'all', '--phases', phases, '--mode', 'all', '--seed', String(seed), ...limit],
    `${tool.root}/generated/${version}/openapi.json`,
  ]
  const started = performance.now()
  const seconds = () => Math.round((performance.now() - started) / 1000)
  const child = spawn(tool.command, [...tool.words(Object.keys(environment)), ...words], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => said.push(chunk))
  const signs = setInterval(() => console.log(`fuzz: ${version}, seed ${seed}: ${seconds()} s`), SIGN)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      const text = Buffer.concat(said).toString('utf8')
      console.log(code === 0 ? summary(text) : text)
      console.log(`fuzz: ${version} ${code === 0 ? 'passed' : 'FAILED'}, seed ${seed}, ${seconds()} s`)
      resolve(code ?? 1)
    })
  }).finally(() => clearInterval(signs)) as Promise<number>
}

/** The lines of a run without failure that are worth reading. */
const summary = (text: string): string =>
  text
    .split('\n')
    .filter((line) => /^ +(Operations|API Links|Scenarios):|generated|^fuzz:/.test(line))
    .map((line) => line.trim())
    .join('\n')
