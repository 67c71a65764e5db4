// The scripts that are made of many modules, one file each: build/assets/. Run it as `make assets`; `make run` and
// `make test` do so by themselves.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build, type Metafile } from 'esbuild'

const root = path.resolve(import.meta.dirname, '..')

/**
 * Bundles the structure editor into `<outDir>/editor.js`. What it is made of keeps its licences: they stand at the end.
 * @throws Error with esbuild's own words when something in it is wrong
 */
export async function buildAssets(outDir: string): Promise<void> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/web/assets/editor/main.ts'],
    outfile: path.join(outDir, 'editor.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'silent',
    // Its build for Node and old loaders hides what it uses: nothing of it could be left out.
    mainFields: ['module', 'main'],
  })
  const script = `${outputFiles[0]!.text}${await licencesOf(metafile)}`
  const file = path.join(outDir, 'editor.js')
  if ((await readFile(file, 'utf8').catch(() => '')) === script) return
  // Whole or not at all: a server may be reading it.
  const draft = path.join(outDir, `.draft-${process.pid}.js`)
  await mkdir(outDir, { recursive: true })
  await writeFile(draft, script)
  await rename(draft, file)
  console.log(`assets: ${path.relative(root, file)} (${Math.round(script.length / 1024)} kB)`)
}

/** The licence of every package in the bundle; those with the same words are named together. */
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
  throw new Error(`${name} brings no licence: it cannot be part of a script that is handed out.`)
}

if (import.meta.main) {
  try {
    await buildAssets(path.join(root, 'build', 'assets'))
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}
