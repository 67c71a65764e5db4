import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { query, useBackups } from '../support/backups.ts'
import { Client } from '../support/client.ts'
import { rowsOf, schemaOf, sequencesOf } from '../support/compare-databases.ts'
import { startProcess } from '../support/process.ts'
import { runCanvass } from '../support/run-canvass.ts'

const TIMEOUT_MS = 180_000
const backups = useBackups()
const { world, newFolder, newDatabase, backUp, restore } = backups
let owner: typeof backups.owner
let folder: string
let file: string
beforeAll(() => {
  ;({ owner, folder } = backups)
  file = path.join(folder, 'canvass.backup')
})

describe('backup and restore', () => {
  test(
    'restore every row, the schema, the sequences and the secret key; the API returns the same CSV',
    async () => {
      const made = await backUp(file, {}, '--include-secret-key')
      expect(made).toEqual({ code: 0, output: expect.stringContaining(`Backup: ${file} (verified)`) })
      expect(made.output).toContain('is not encrypted: store it like a password')
      expect(statSync(file).mode & 0o777).toBe(0o600)
      const [url, dataDir] = [newDatabase(), newFolder()]
      expect(await restore(file, { DATABASE_URL: url, DATA_DIR: dataDir })).toEqual({
        code: 0,
        output: expect.stringMatching(/Restored the backup of .*, made by Canvass .*Start the servers/s),
      })
      const [before, after] = [await rowsOf(world.databaseUrl), await rowsOf(url)]
      expect(Object.values(before).filter((rows) => rows.length > 0).length).toBeGreaterThan(25)
      expect(after).toEqual(before)
      expect(await schemaOf(url)).toEqual(await schemaOf(world.databaseUrl))
      expect(await sequencesOf(url)).toEqual(await sequencesOf(world.databaseUrl))
      expect(readFileSync(path.join(dataDir, 'secret-key'), 'utf8')).toBe(world.secretKey)

      const server = startProcess({ ...world, databaseUrl: url }, 'test/support/second-process.ts')
      await server.waitForOutput('ready')
      const [, port] = /port (\d+)/.exec(server.output())!
      const csv = '/api/v3/surveys/14/csv/'
      const original = await owner.get(csv)
      const restored = await new Client(`http://127.0.0.1:${port}`, owner.authorization).get(csv)
      await server.kill('SIGTERM')
      expect(original.text).toContain('漢')
      expect([restored.status, restored.text]).toEqual([200, original.text])
    },
    TIMEOUT_MS,
  )

  test(
    'encrypt with a passphrase, and report a wrong, missing or short passphrase',
    async () => {
      const encrypted = path.join(folder, 'encrypted.backup')
      const passphrase = { BACKUP_PASSPHRASE: 'correct horse battery' }
      expect(await backUp(encrypted, passphrase)).toEqual({
        code: 0,
        output: expect.stringContaining('It contains the secret key and is encrypted.'),
      })
      expect(readFileSync(encrypted, 'latin1')).toMatch(/^age-encryption\.org\/v1\n-> scrypt /)
      const wrong = { BACKUP_PASSPHRASE: 'wrong horse battery' }
      expect(await runCanvass(wrong, 'backup', 'verify', encrypted)).toEqual({
        code: 1,
        output: 'The passphrase is wrong. Set BACKUP_PASSPHRASE to the passphrase of this backup.\n',
      })
      expect(await runCanvass({}, 'backup', 'verify', encrypted)).toEqual({
        code: 1,
        output: 'Set BACKUP_PASSPHRASE to the passphrase of the backup.\n',
      })
      const bytes = readFileSync(encrypted)
      writeFileSync(encrypted, bytes.subarray(0, -20))
      expect(await runCanvass(passphrase, 'backup', 'verify', encrypted)).toEqual({
        code: 1,
        output: expect.stringMatching(/^.*encrypted\.backup is damaged or incomplete: .*\. Use another backup\.\n$/),
      })
      expect(await backUp(path.join(folder, 'short.backup'), { BACKUP_PASSPHRASE: 'short' })).toEqual({
        code: 1,
        output: 'The passphrase must have at least 12 characters.\n',
      })
    },
    TIMEOUT_MS,
  )

  test(
    'leave out the secret key of a backup that is not encrypted, and require SECRET_KEY for the restore',
    async () => {
      const keyless = path.join(folder, 'keyless.backup')
      expect((await backUp(keyless)).output).toContain('Left out: the secret key.')
      expect((await runCanvass({}, 'backup', 'verify', keyless)).output).toContain('secret key left out')
      const sealed = path.join(folder, 'sealed.backup')
      const passphrase = { BACKUP_PASSPHRASE: 'correct horse battery' }
      expect((await backUp(sealed, passphrase, '--without-secrets')).output).toContain('Left out: the secret key.')
      expect((await runCanvass(passphrase, 'backup', 'verify', sealed)).output).toContain('secret key left out')
      const url = newDatabase()
      const refused = await restore(keyless, { DATABASE_URL: url })
      expect(refused).toEqual({
        code: 1,
        output: expect.stringMatching(/^The backup was made without its secret key, and SECRET_KEY is not set\. Set /),
      })
      expect((await restore(keyless, { DATABASE_URL: url, SECRET_KEY: world.secretKey })).code).toBe(0)
      const other = 'another secret key of more than 32 characters'
      const settings = { DATABASE_URL: newDatabase(), SECRET_KEY: other }
      expect((await restore(keyless, settings)).output).toContain('SECRET_KEY is another key')
      expect((await restore(file, settings)).output).toMatch(/^SECRET_KEY is not the key of this backup\. Unset it: /)
      expect((await restore(keyless, settings, '--ignore-secret-key')).code).toBe(0)
      // The first start stores the key, and a later one refuses any other key.
      const start = (secretKey: string) =>
        runCanvass({ ...settings, DATA_DIR: newFolder(), SECRET_KEY: secretKey }, 'migrate')
      expect((await start(other)).code).toBe(0)
      expect((await start(world.secretKey)).output).toContain('The secret key is not the one')
    },
    TIMEOUT_MS,
  )
})

describe('backup', () => {
  test(
    'is consistent while responses arrive',
    async () => {
      let stopped = false
      const writers = Array.from({ length: 4 }, async () => {
        while (!stopped) await owner.post('/api/v3/surveys/14/responses/', { json: { _completed: 1 } })
      })
      const busy = path.join(folder, 'busy.backup')
      const { code } = await backUp(busy, {}, '--include-secret-key')
      stopped = true
      await Promise.all(writers)
      expect(code).toBe(0)
      const url = newDatabase()
      expect((await restore(busy, { DATABASE_URL: url })).code).toBe(0)
      expect(
        await query(
          url,
          `select (select count(*) from response where survey_id = 14) = f.responses as responses,
          (select count(*) from response_change where survey_id = 14) = f.seq as changes from survey_feed f where survey_id = 14`,
        ),
      ).toEqual([{ responses: true, changes: true }])
    },
    TIMEOUT_MS,
  )

  test(
    'generates a name in a folder, and leaves no incomplete file',
    async () => {
      const target = `${newFolder()}/`
      expect((await backUp(target)).code).toBe(0)
      expect(readdirSync(target)).toEqual([expect.stringMatching(/^canvass-\d{8}T\d{6}Z\.backup$/)])
      expect((await backUp(file)).output).toBe(`${file} exists. Choose another name, or delete it first.\n`)
      expect(
        (await backUp(path.join(folder, 'empty.backup'), { DATABASE_URL: process.env.TEST_SERVER_URL! })).output,
      ).toBe('The database is empty: it has no tables of Canvass. Check DATABASE_URL.\n')
      expect(readdirSync(folder).filter((name) => name.startsWith('empty') || name.endsWith('.part'))).toEqual([])
      expect((await runCanvass({}, 'backup')).output).toBe(
        'Enter a file or an S3 URL. Example: canvass backup canvass.backup\n',
      )
    },
    TIMEOUT_MS,
  )
})
