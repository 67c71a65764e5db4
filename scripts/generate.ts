// Contract to code: lints openapi/, bundles each version to generated/<version>/openapi.json and derives its types.
// Any warning stops it. Run it as `make generate`; the results are committed and never edited.
import { spawn } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const versions = ['v2', 'v3']

const redocly = 'node_modules/@redocly/cli/bin/cli.js'
const openapiTypescript = 'node_modules/openapi-typescript/bin/cli.js'

interface Outcome {
  code: number
  output: string
}

/** Runs a tool of node_modules on this Node. Answers its exit code and all that it printed. */
function run(tool: string, ...args: string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [tool, ...args], {
    cwd: root,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', FORCE_COLOR: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

class Failure extends Error {}

async function lint(version: string) {
  const { code, output } = await run(redocly, 'lint', `openapi/${version}/openapi.yaml`)
  if (code !== 0 || /\bwarnings?\b/i.test(output.replace(/0 warnings?/g, ''))) {
    throw new Failure(
      `${output.trim()}\n\nMend openapi/${version} (the rules are in redocly.yaml), then run make generate.`,
    )
  }
}

async function bundle(version: string): Promise<string> {
  const target = `generated/${version}/openapi.json`
  const draft = `generated/${version}/.openapi.draft.json`
  await mkdir(`${root}generated/${version}`, { recursive: true })
  const { code, output } = await run(redocly, 'bundle', `openapi/${version}/openapi.yaml`, '-o', draft)
  if (code !== 0) throw new Failure(`${output.trim()}\n\nopenapi/${version} could not be bundled.`)
  const types = await run(openapiTypescript, draft, '-o', `generated/${version}/types.ts`)
  if (types.code !== 0) throw new Failure(`${types.output.trim()}\n\nNo types could be made of openapi/${version}.`)
  await writeFile(root + target, `${JSON.stringify(JSON.parse(await readFile(root + draft, 'utf8')), null, 2)}\n`)
  await rm(root + draft)
  return target
}

const started = performance.now()
const outcomes = await Promise.allSettled(versions.flatMap((version) => [lint(version), bundle(version)]))
const reasons = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as Error)
for (const reason of reasons) console.error(reason instanceof Failure ? `${reason.message}\n` : reason)
if (reasons.length) process.exitCode = 1
else console.log(`generated ${versions.join(' and ')} in ${((performance.now() - started) / 1000).toFixed(1)} s`)
