// Builds the reference of each contract: build/docs/<version>/openapi.json with samples of every operation in three
// languages, the contract as OpenAPI 3.0 (openapi-3.0.json), the JSON Schema of structures (structure.json), and
// index.html, a self-contained page. Unchanged pages are not rebuilt. Run it as `make docs`.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { publishedSchema } from '../src/domain/structure/published-schema.ts'
import { downConvert } from '../src/lib/down-convert.ts'
import { readable } from './docs/readable.ts'
import { withSamples } from './samples.ts'
import { otherDocuments, root, versions } from './versions.ts'

const redocly = path.join(root, 'node_modules/@redocly/cli/bin/cli.js')

/** The logo that Redoc loads from another server. The page shows the name of Redoc in place of this logo. */
const REDOC_LOGO = /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g
const REDOC_NAME = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" width="36" height="14"><text y="11" font-family="sans-serif" font-size="11" font-weight="bold" fill="#5a6270">Redoc</text></svg>',
)}`

/**
 * Writes `<outDir>/<version>/index.html` for all contracts in parallel, and prints the result.
 * @throws Error with the message of Redocly
 */
export async function buildDocs(outDir: string): Promise<void> {
  await Promise.all([...versions, ...otherDocuments].map((version) => buildPage(version, outDir)))
}

async function buildPage(version: string, outDir: string): Promise<void> {
  const folder = path.join(outDir, version)
  const page = path.join(folder, 'index.html')
  const contract = path.join(folder, 'openapi.json')
  await mkdir(folder, { recursive: true })
  const isVersion = versions.includes(version)
  const generated = JSON.parse(await readFile(path.join(root, 'generated', version, 'openapi.json'), 'utf8'))
  const document = isVersion ? await withSamples(version) : generated
  await writeFile(contract, `${JSON.stringify(document, null, 2)}\n`)
  if (isVersion) {
    const converted = downConvert(generated)
    await writeFile(path.join(folder, 'openapi-3.0.json'), `${JSON.stringify(converted, null, 2)}\n`)
    await writeFile(path.join(folder, 'structure.json'), `${JSON.stringify(publishedSchema, null, 2)}\n`)
  }
  const marker = `<!-- built from ${await fingerprint(contract)} -->`
  if (await endsWith(page, marker)) return console.log(`docs ${version}: up to date`)

  const started = performance.now()
  const draft = path.join(folder, `.draft-${process.pid}.html`)
  const shown = path.join(folder, `.draft-${process.pid}.json`)
  await writeFile(shown, JSON.stringify(readable(document)))
  await promisify(execFile)(process.execPath, [redocly, 'build-docs', shown, '--inlineBundle', '-o', draft], {
    cwd: root,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  })
  await writeFile(draft, `${(await readFile(draft, 'utf8')).replace(REDOC_LOGO, () => REDOC_NAME)}${marker}`)
  await rename(draft, page)
  await rm(shown)
  console.log(`docs ${version}: ${path.relative(root, page)} (${((performance.now() - started) / 1000).toFixed(1)} s)`)
}

/** Returns a hash of everything that the page depends on: the contract, the tools and this file. */
async function fingerprint(contract: string): Promise<string> {
  const hash = createHash('sha256')
  for (const file of [
    contract,
    ...['package-lock.json', 'redocly.yaml', 'scripts/docs/readable.ts'].map((name) => path.join(root, name)),
    import.meta.filename,
  ])
    hash.update(await readFile(file))
  return hash.digest('hex')
}

const endsWith = (file: string, marker: string) =>
  readFile(file, 'utf8').then(
    (page) => page.endsWith(marker),
    () => false,
  )

if (import.meta.main) {
  try {
    await buildDocs(path.join(root, 'build', 'docs'))
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    console.error(
      `${stderr || message}\nThe reference was not built. Run make generate, fix the errors, and run make docs again.`,
    )
    process.exitCode = 1
  }
}
