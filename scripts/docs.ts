// The reference of each contract, with a sample of every operation in three languages: build/docs/<version>/openapi.json,
// what a structure may be: structure.json beside it, and as one page that works with the network cut: build/docs/<version>/index.html.
// Run it as `make docs`. A page whose contract did not change is left as it is.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { publishedSchema } from '../src/domain/structure/published-schema.ts'
import { withSamples } from './samples.ts'

const root = path.resolve(import.meta.dirname, '..')
const versions = ['v2', 'v3']
const redocly = path.join(root, 'node_modules/@redocly/cli/bin/cli.js')

/** Redoc shows its maker's logo, from its maker's server; its name takes that place. */
const outsideLogo = /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g
const name = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" width="36" height="14"><text y="11" font-family="sans-serif" font-size="11" font-weight="bold" fill="#5a6270">Redoc</text></svg>',
)}`

/**
 * Writes `<outDir>/<version>/index.html` for both contracts, side by side, telling what it did.
 * @throws Error with Redocly's own words when a contract cannot be shown
 */
export async function buildDocs(outDir: string): Promise<void> {
  await Promise.all(versions.map((version) => buildPage(version, outDir)))
}

async function buildPage(version: string, outDir: string): Promise<void> {
  const folder = path.join(outDir, version)
  const page = path.join(folder, 'index.html')
  const contract = path.join(folder, 'openapi.json')
  await mkdir(folder, { recursive: true })
  await writeFile(contract, `${JSON.stringify(await withSamples(version), null, 2)}\n`)
  await writeFile(path.join(folder, 'structure.json'), `${JSON.stringify(publishedSchema, null, 2)}\n`)
  const mark = `<!-- made from ${await fingerprint(contract)} -->`
  if (await endsWith(page, mark)) return console.log(`docs ${version}: up to date`)

  const started = performance.now()
  const draft = path.join(folder, `.draft-${process.pid}.html`)
  await promisify(execFile)(process.execPath, [redocly, 'build-docs', contract, '--inlineBundle', '-o', draft], {
    cwd: root,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  })
  await writeFile(draft, `${(await readFile(draft, 'utf8')).replace(outsideLogo, () => name)}${mark}`)
  await rename(draft, page)
  console.log(`docs ${version}: ${path.relative(root, page)} (${((performance.now() - started) / 1000).toFixed(1)} s)`)
}

/** What the page depends on: the contract, the tool that shows it, and this file. */
async function fingerprint(contract: string): Promise<string> {
  const hash = createHash('sha256')
  for (const file of [
    contract,
    ...['package-lock.json', 'redocly.yaml'].map((name) => path.join(root, name)),
    import.meta.filename,
  ])
    hash.update(await readFile(file))
  return hash.digest('hex')
}

const endsWith = (file: string, mark: string) =>
  readFile(file, 'utf8').then(
    (page) => page.endsWith(mark),
    () => false,
  )

if (import.meta.main) {
  try {
    await buildDocs(path.join(root, 'build', 'docs'))
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    console.error(`${stderr || message}\nThe docs are not built: run make generate, mend what it names, try again.`)
    process.exitCode = 1
  }
}
