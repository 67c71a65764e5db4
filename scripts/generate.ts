// Writes the JSON Schema of structures to generated/structure.json, to which openapi/ refers. Lints openapi/, bundles
// each version to generated/<version>/openapi.json and generates its types. Any warning is an error. Run it as `make
// generate`; the results are committed and never edited.
import { spawn } from 'node:child_process'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { structureSchema } from '../src/domain/structure/schema.ts'
import { addDeprecations } from './deprecations.ts'
import { errorCodesOf, withErrorTables } from './error-codes.ts'
import { addFallbackReplies } from './fallback-replies.ts'
import { addFormEncoding } from './form-encoding.ts'
import { escapeInvisible, makeInteroperable } from './interoperable.ts'
import { addReplyCodes } from './reply-codes.ts'
import { addReplyHeaders } from './reply-headers.ts'
import { otherDocuments, versions } from './versions.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const redocly = 'node_modules/@redocly/cli/bin/cli.js'
const openapiTypescript = 'node_modules/openapi-typescript/bin/cli.js'

interface Outcome {
  code: number
  output: string
}

/**
 * Runs a tool of node_modules.
 * @returns its exit code and its output
 */
function run(tool: string, ...args: string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [tool, ...args], {
    cwd: root,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
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

/** The depth of an operation in a contract: `paths`, the path, the method. */
const OPERATION_DEPTH = 3

/** Serialises a document with a line for each operation and each component, so that a diff shows which ones changed. */
function serialize(value: unknown, depth = 0): string {
  if (depth === OPERATION_DEPTH || typeof value !== 'object' || value === null || Array.isArray(value))
    return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${serialize(member, depth + 1)}`,
  )
  return members.length ? `{\n${members.join(',\n')}\n}` : '{}'
}

class Failure extends Error {}

async function lint(version: string) {
  const { code, output } = await run(redocly, 'lint', `openapi/${version}/openapi.yaml`)
  if (code !== 0 || /\bwarnings?\b/i.test(output.replace(/0 warnings?/g, ''))) {
    throw new Failure(
      `${output.trim()}\n\nFix openapi/${version} (the rules are in redocly.yaml) and run make generate again.`,
    )
  }
}

const draftOf = (version: string) => `generated/${version}/.draft`

const readDraft = async (version: string) => JSON.parse(await readFile(`${root}${draftOf(version)}.json`, 'utf8'))

/**
 * Bundles a version, adds the headers that all replies have and the `encoding` of forms, and generates the types of the
 * version.
 */
async function draft(version: string) {
  const path = draftOf(version)
  await mkdir(`${root}generated/${version}`, { recursive: true })
  const bundled = await run(redocly, 'bundle', `openapi/${version}/openapi.yaml`, '-o', `${path}.json`)
  if (bundled.code !== 0) throw new Failure(`${bundled.output.trim()}\n\nopenapi/${version} could not be bundled.`)
  const document = await readDraft(version)
  addReplyHeaders(document)
  addFormEncoding(document)
  await writeFile(`${root}${path}.json`, JSON.stringify(document))
  const typed = await run(openapiTypescript, `${path}.json`, '-o', `${path}.ts`)
  if (typed.code !== 0)
    throw new Failure(`${typed.output.trim()}\n\nThe types of openapi/${version} could not be generated.`)
}

/** Replaces the generated files after all checks passed. */
async function publish(version: string) {
  const document = await readDraft(version)
  const codes = await errorCodesOf(version)
  makeInteroperable(document)
  addFallbackReplies(document)
  addReplyCodes(document, codes.problems)
  addDeprecations(document)
  document.info.description = withErrorTables(document.info.description, codes)
  document['x-error-codes'] = codes
  await writeFile(`${root}generated/${version}/openapi.json`, `${escapeInvisible(serialize(document))}\n`)
  await rename(`${root}${draftOf(version)}.ts`, `${root}generated/${version}/types.ts`)
}

/** Lints and bundles in parallel; lint errors take precedence. */
async function prepare(version: string) {
  const [linted, drafted] = await Promise.allSettled([lint(version), draft(version)])
  for (const outcome of [linted, drafted]) if (outcome.status === 'rejected') throw outcome.reason
}

/** Lints and bundles a document that does not belong to a version of the API. */
async function prepareOther(name: string) {
  await lint(name)
  const path = `${draftOf(name)}.json`
  await mkdir(`${root}generated/${name}`, { recursive: true })
  const bundled = await run(redocly, 'bundle', `openapi/${name}/openapi.yaml`, '-o', path)
  if (bundled.code !== 0) throw new Failure(`${bundled.output.trim()}\n\nopenapi/${name} could not be bundled.`)
}

const started = performance.now()
await writeFile(`${root}generated/structure.json`, `${serialize(structureSchema)}\n`)
const outcomes = await Promise.allSettled([...versions.map(prepare), ...otherDocuments.map(prepareOther)])
const failed = outcomes.filter((outcome) => outcome.status === 'rejected')
for (const { reason } of failed) console.error(reason instanceof Failure ? `${reason.message}\n` : reason)
if (failed.length) process.exitCode = 1
else {
  await Promise.all(versions.map(publish))
  for (const name of otherDocuments)
    await writeFile(`${root}generated/${name}/openapi.json`, `${serialize(await readDraft(name))}\n`)
  console.log(`generated ${versions.join(' and ')} in ${((performance.now() - started) / 1000).toFixed(1)} s`)
}
for (const version of [...versions, ...otherDocuments])
  for (const end of ['json', 'ts']) await rm(`${root}${draftOf(version)}.${end}`, { force: true })
