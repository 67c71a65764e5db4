// Bundles browser scripts that consist of many modules, and writes the bundles to build/assets/. Run it as `make
// assets`; `make run` and `make test` run it automatically.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build, type Metafile } from 'esbuild'

const root = path.resolve(import.meta.dirname, '..')

/** The bundled scripts: folders of `src/web/assets/`, each with a `main.ts`. */
const SCRIPTS = ['editor', 'builder', 'signature']

/**
 * Bundles the scripts into `<outDir>/<name>.js`, each with the licences of its packages at the end.
 * @throws Error with the message of esbuild
 */
export async function buildAssets(outDir: string): Promise<void> {
  for (const name of SCRIPTS) await buildScript(name, outDir)
}

async function buildScript(name: string, outDir: string): Promise<void> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [`src/web/assets/${name}/main.ts`],
    outfile: path.join(outDir, `${name}.js`),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'silent',
    // Prefers the ES modules of packages, because CommonJS cannot be tree-shaken.
    mainFields: ['module', 'main'],
  })
  const script = `${outputFiles[0]!.text}${await licencesOf(metafile)}`
  const file = path.join(outDir, `${name}.js`)
  if ((await readFile(file, 'utf8').catch(() => '')) === script) return
  // A server can read the file at any time. Renaming a finished file replaces the old file at once.
  const draft = path.join(outDir, `.draft-${name}-${process.pid}.js`)
  await mkdir(outDir, { recursive: true })
  await writeFile(draft, script)
  await rename(draft, file)
  console.log(`assets: ${path.relative(root, file)} (${Math.round(script.length / 1024)} kB)`)
}

/** Returns the licences of all packages in the bundle; packages with the same licence text share one copy. */
async function licencesOf({ inputs }: Metafile): Promise<string> {
  const packages = Object.keys(inputs).flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [])
  const byText = new Map<string, string[]>()
  for (const name of [...new Set(packages)].sort()) {
    const text = (await licenceOf(name)).trim()
    byText.set(text, [...(byText.get(text) ?? []), name])
  }
  return [...byText].map(([text, names]) => `/*! ${names.join(', ')}\n\n${text.replaceAll('*/', '* /')}\n*/\n`).join('')
}

async function licenceOf(name: string): Promise<string> {
  for (const file of ['LICENSE', 'LICENSE.md', 'LICENSE.txt']) {
    const text = await readFile(path.join(root, 'node_modules', name, file), 'utf8').catch(() => undefined)
    if (text) return text
  }
  throw new Error(`${name} has no licence file, so it cannot be part of a bundle.`)
}

if (import.meta.main) {
  try {
    await buildAssets(path.join(root, 'build', 'assets'))
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}
