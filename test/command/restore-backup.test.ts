import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { admin, query, useBackups } from '../support/backups.ts'
import { rowsOf } from '../support/compare-databases.ts'
import { runCanvass } from '../support/run-canvass.ts'

const TIMEOUT_MS = 180_000
const role = `r_${randomBytes(6).toString('hex')}`
const backups = useBackups()
const { world, newFolder, newDatabase, backUp, restore } = backups
let folder: string
let file: string
beforeAll(async () => {
  folder = backups.folder
  file = path.join(folder, 'canvass.backup')
  expect((await backUp(file, {}, '--include-secret-key')).code).toBe(0)
}, TIMEOUT_MS)
// Runs after `useBackups` has dropped the databases, because PostgreSQL does not drop a role that owns a database.
afterAll(async () => {
  await admin(`drop role if exists ${role}`)
})

describe('restore', () => {
  test(
    'refuses a database that contains accounts or that programs are connected to, and replaces the database and the key with --replace',
    async () => {
      expect(await restore(file, { DATABASE_URL: world.databaseUrl })).toEqual({
        code: 1,
        output: expect.stringMatching(/already contains accounts\. To replace it .* add --replace; /),
      })
      expect(await restore(file, { DATABASE_URL: world.databaseUrl }, '--replace')).toEqual({
        code: 1,
        output: expect.stringMatching(/^Programs are connected to the database .* \(.*canvass.*\)\. Stop all servers/),
      })
      const [url, dataDir] = [newDatabase(), newFolder()]
      const own = { DATABASE_URL: url, DATA_DIR: dataDir }
      expect((await runCanvass(own, 'migrate')).code).toBe(0)
      expect((await runCanvass(own, 'seed', '1')).code).toBe(0)
      const key = path.join(dataDir, 'secret-key')
      const oldKey = readFileSync(key, 'utf8')
      const oldRows = await rowsOf(url)

      const damaged = path.join(folder, 'damaged.backup')
      const bytes = readFileSync(file)
      writeFileSync(damaged, bytes.subarray(0, bytes.length >> 1))
      expect((await restore(damaged, own, '--replace')).output).toMatch(/damaged\.backup is damaged or incomplete: /)
      expect(await rowsOf(url)).toEqual(oldRows)
      expect(readFileSync(key, 'utf8')).toBe(oldKey)

      await admin(`alter database ${new URL(url).pathname.slice(1)} set work_mem = '5MB'`)
      const { code, output } = await restore(file, own, '--replace')
      expect([code, output]).toEqual([0, expect.stringContaining('The previous secret key was moved to ')])
      expect(await rowsOf(url)).toEqual(await rowsOf(world.databaseUrl))
      expect(await query(url, 'show work_mem')).toEqual([{ work_mem: '5MB' }])
      expect(readFileSync(key, 'utf8')).toBe(world.secretKey)
      const [moved] = readdirSync(dataDir).filter((name) => name.startsWith('secret-key.replaced-'))
      expect(readFileSync(path.join(dataDir, moved!), 'utf8')).toBe(oldKey)
      const { length } = await admin(`select from pg_database where datname like '${new URL(url).pathname.slice(1)}%'`)
      expect(length).toBe(1)
    },
    TIMEOUT_MS,
  )

  test(
    'fills an empty database if the role cannot create databases, and empties it again after a failure',
    async () => {
      const url = new URL(newDatabase())
      await admin(`create role ${role} login password 'secret'`)
      await admin(`create database ${url.pathname.slice(1)} owner ${role}`)
      Object.assign(url, { username: role, password: 'secret' })
      const damaged = path.join(folder, 'damaged-2.backup')
      const bytes = readFileSync(file)
      writeFileSync(damaged, bytes.subarray(0, bytes.length >> 1))
      expect((await restore(damaged, { DATABASE_URL: url.href })).code).toBe(1)
      const tables = `select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'S')`
      expect(await query(url.href, tables)).toEqual([])
      expect((await restore(file, { DATABASE_URL: url.href })).code).toBe(0)
      expect(await rowsOf(url.href)).toEqual(await rowsOf(world.databaseUrl))
      expect((await restore(file, { DATABASE_URL: url.href }, '--replace')).output).toMatch(
        /^This role cannot create databases, so it cannot replace .* Create an empty database/,
      )
      // A restore that was killed leaves this table.
      await query(url.href, 'create table unfinished_restore ()')
      expect((await runCanvass({ DATABASE_URL: url.href, DATA_DIR: newFolder() }, 'migrate')).output).toMatch(
        /^The restore of this database did not finish\. Run "canvass restore" again/,
      )
      expect((await restore(file, { DATABASE_URL: url.href })).code).toBe(0)
      expect(await query(url.href, `select to_regclass('unfinished_restore') as marker`)).toEqual([{ marker: null }])
    },
    TIMEOUT_MS,
  )

  test(
    'refuses a file that is not a backup, and a backup that is damaged, altered or missing',
    async () => {
      const settings = { DATABASE_URL: newDatabase() }
      const target = path.join(folder, 'wrong.backup')
      expect((await restore(target, settings)).output).toBe(`${target} does not exist. Check the path.\n`)
      writeFileSync(target, 'a text that is not a backup')
      expect((await restore(target, settings)).output).toBe(`${target} is not a backup of Canvass.\n`)
      const bytes = readFileSync(file)
      bytes[bytes.length >> 1]! ^= 1
      writeFileSync(target, bytes)
      expect((await restore(target, settings)).output).toMatch(/is damaged or incomplete: .*\. Use another backup\.\n$/)
      expect(
        await admin(`select from pg_database where datname = '${new URL(settings.DATABASE_URL).pathname.slice(1)}'`),
      ).toEqual([])
    },
    TIMEOUT_MS,
  )

  test(
    'refuses a backup with a newer schema, as servers refuse such a database',
    async () => {
      const url = newDatabase()
      expect((await restore(file, { DATABASE_URL: url })).code).toBe(0)
      await query(url, `insert into migration (name) values ('Migration29990101000000_future')`)
      const refusal =
        /^The database was migrated by a newer version of Canvass \(Migration29990101000000_future\); this is version .*\. Start the newer version\. To go back to this one, run with the newer version: canvass migrate --undo-after Migration\d+_\w+\. See "Downgrade" in docs\/operations\.md\.\n$/
      const dataDir = newFolder()
      expect(
        (await runCanvass({ DATABASE_URL: url, SECRET_KEY: world.secretKey, DATA_DIR: dataDir, PORT: '0' }, 'serve'))
          .output,
      ).toMatch(refusal)
      const newer = path.join(folder, 'newer.backup')
      expect((await backUp(newer, { DATABASE_URL: url }, '--include-secret-key')).code).toBe(0)
      expect(await restore(newer, { DATABASE_URL: newDatabase() })).toEqual({
        code: 1,
        output: expect.stringMatching(
          /^This backup was made by a newer version of Canvass .* Restore it with Canvass /,
        ),
      })
    },
    TIMEOUT_MS,
  )
})
