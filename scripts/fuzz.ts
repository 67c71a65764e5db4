// Fuzzes both contracts against a running server on a throw-away database: every check and phase of Schemathesis, good
// and bad data, with credentials. FUZZ_MINUTES for both together (10), FUZZ_SEED to repeat a run, FUZZ_ONLY=v2 for one.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { AUTHORIZATION, admin, startService, temporaryDatabase } from './bench/servers.ts'
import { findSchemathesis, type Tool } from './fuzz/schemathesis.ts'
import { seed } from './fuzz/seed.ts'

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
const minutes = Number(process.env.FUZZ_MINUTES ?? 10)
const chosen = process.env.FUZZ_SEED ? Number(process.env.FUZZ_SEED) : randomInt(2 ** 31)
const versions = ['v2', 'v3'].filter((version) => !process.env.FUZZ_ONLY || process.env.FUZZ_ONLY === version)

/** @returns the exit code of Schemathesis */
function fuzz(tool: Tool, version: string, base: string, environment: Record<string, string>): Promise<number> {
  const words = [
    ...['--config-file', `${tool.root}/test/fuzz/schemathesis.toml`, 'run', '--no-color'],
    ...['--url', `${base}/api/${version}`, '--auth', `${admin.apiKey}:${admin.password}`],
    ...['--checks', 'all', '--phases', 'examples,coverage,fuzzing,stateful', '--mode', 'all'],
    ...['--seed', String(chosen), '--max-time', String(Math.max(1, Math.round((minutes * 60) / versions.length)))],
    `${tool.root}/generated/${version}/openapi.json`,
  ]
  const child = spawn(tool.command, [...tool.words(Object.keys(environment)), ...words], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

const tool = await findSchemathesis(root)
console.log(`fuzz: seed ${chosen}, ${minutes} minutes (FUZZ_SEED=${chosen} makes the same choices again)`)
for (const version of versions) {
  const database = await temporaryDatabase()
  try {
    // No worker: what is made up here must not be sent to anybody.
    const service = await startService(database.url, undefined, { WORKER: 'off', LOG_LEVEL: 'silent' })
    try {
      const things = JSON.stringify(await seed(service.base, AUTHORIZATION))
      const pythonPath = `${tool.root}/test/fuzz`
      const code = await fuzz(tool, version, service.base, { CANVASS_THINGS: things, PYTHONPATH: pythonPath })
      console.log(`fuzz: ${version} ${code === 0 ? 'passed' : `failed (exit code ${code})`}, seed ${chosen}`)
      if (code !== 0) process.exitCode = 1
    } finally {
      await service.stop()
    }
  } finally {
    await database.stop()
  }
}
