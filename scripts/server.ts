// Bundles the service into build/server/, so that a start reads few files instead of 1,900 and strips no types. Run it as
// `make server`; `make run` runs it automatically. The sources run as well: node src/main.mjs serve.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { migrationNames } from '../src/db/migrate.ts'
import { statementsOf } from '../src/db/migration-statements.ts'

const root = path.resolve(import.meta.dirname, '..')

/** `serve` and `work` have fixed names, so that an image can compile them in advance. */
const ENTRIES = { main: 'src/main.mjs', serve: 'src/command/serve.ts', work: 'src/command/work.ts' }

/** Packages that most processes never load, read files beside them, or contain native code. */
const UNBUNDLED = ['@node-rs/argon2', '@aws-sdk/client-s3', 'nodemailer', 'pino', 'pg-native']

/** Packages that are loaded when they are first used stay where they are; the mapper must not be loaded twice. */
const packagesOfFirstUse: Plugin = {
  name: 'packages of first use',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^.]/ }, ({ kind, path }) =>
      kind === 'dynamic-import' && !path.startsWith('@mikro-orm/') ? { path, external: true } : undefined,
    ),
}

/** Lets the code of a source file find the files beside it, which are not in the bundle. */
const places = (outDir: string): Plugin => ({
  name: 'places of source files',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]src[\\/].*\.(?:ts|mjs)$/ }, async ({ path: file }) => {
      if (!file.startsWith(path.join(root, 'src'))) return undefined
      const at = (target: string) => `new URL(${JSON.stringify(path.relative(outDir, target))}, import.meta.url)`
      const contents = (await readFile(file, 'utf8'))
        .replaceAll('import.meta.url', `${at(file)}.href`)
        .replaceAll('import.meta.dirname', `process.getBuiltinModule('url').fileURLToPath(${at(path.dirname(file))})`)
      return { contents, loader: 'ts' }
    }),
})

/** Puts the statements of the migrations into the bundle, so that a database is migrated without loading them. */
const migrations: Plugin = {
  name: 'statements of migrations',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]migration-statements\.ts$/ }, async () => {
      const all = JSON.stringify(await statementsOf(migrationNames))
      const contents = `const all = ${all}; export const statementsOf = async (names) => all.filter(({ name }) => names.includes(name))`
      return { contents }
    }),
}

/** Writes non-ASCII characters as escapes: V8 keeps a text with one of them in twice the memory. */
const inAscii = (text: string): string =>
  text.replace(/[^\0-\x7F]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** @throws Error when a package is in the bundle and is loaded from its folder too: its state would exist twice */
function assertSingle({ inputs, outputs }: Metafile): void {
  const packageOf = (place: string) => /^(?:@[^/]+\/)?[^/]+/.exec(place)![0]
  const folders = Object.keys(inputs).flatMap((file) => /^node_modules\/(.*)/.exec(file)?.[1] ?? [])
  const bundled = new Set(folders.map(packageOf))
  const loaded = Object.values(outputs).flatMap(({ imports }) => imports.filter(({ external }) => external))
  const twice = loaded.map(({ path }) => packageOf(path)).find((name) => bundled.has(name))
  if (twice) throw new Error(`${twice} is bundled and loaded on first use. Import it in one way.`)
}

/**
 * Bundles the service into a folder, and deletes the files of an earlier bundle.
 * @returns the number of bytes
 * @throws Error with the message of esbuild
 */
export async function buildServer(outDir = path.join(root, 'build', 'server')): Promise<number> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ENTRIES,
    outdir: outDir,
    outExtension: { '.js': '.mjs' },
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    legalComments: 'none',
    logLevel: 'silent',
    // Modules of packages that have both kinds, and a `require` for packages that have only the other kind.
    mainFields: ['module', 'main'],
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
    },
    external: UNBUNDLED,
    plugins: [packagesOfFirstUse, migrations, places(outDir)],
  })
  assertSingle(metafile)
  await mkdir(outDir, { recursive: true })
  for (const { path: file, text } of outputFiles) {
    const draft = `${file}.${process.pid}`
    await writeFile(draft, inAscii(text))
    await rename(draft, file)
  }
  const written = new Set(outputFiles.map(({ path: file }) => path.basename(file)))
  const old = (await readdir(outDir)).filter((name) => name.endsWith('.mjs') && !written.has(name))
  for (const name of old) await rm(path.join(outDir, name), { force: true })
  return outputFiles.reduce((sum, { contents }) => sum + contents.length, 0)
}

if (import.meta.main) {
  try {
    console.log(`server: build/server (${((await buildServer()) / 1e6).toFixed(1)} MB)`)
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}
