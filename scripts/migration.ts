// Writes a migration that changes the schema after the newest migration to the schema of the current entities: make
// migration NAME=add_colour. Uses a temporary database; your own database does not change.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startEmbedded } from '../src/db/embedded/embedded.ts'
import { migrate } from '../src/db/migrate.ts'

const root = path.resolve(import.meta.dirname, '..')
const name = process.argv[2]
if (!name || !/^[a-z][a-z0-9_]*$/.test(name)) {
  console.error('Set NAME to a name in lower case: make migration NAME=add_colour_to_survey')
  process.exit(2)
}

const folder = await mkdtemp(path.join(tmpdir(), 'canvass-migration-'))
await chmod(folder, 0o755)
const database = await startEmbedded(path.join(folder, 'pg'), { ephemeral: true })
try {
  await migrate(database.url())
  const cli = path.join(root, 'node_modules/@mikro-orm/cli/cli.js')
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', cli, 'migration:create', '--name', name],
    {
      cwd: root,
      env: { ...process.env, MIKRO_ORM_CLI_PREFER_TS: '1', DATABASE_URL: database.url() },
      stdio: 'inherit',
    },
  )
  const [code] = await once(child, 'exit')
  process.exitCode = code ?? 1
} finally {
  await database.stop()
  await rm(folder, { recursive: true, force: true })
}
