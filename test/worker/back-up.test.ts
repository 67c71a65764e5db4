import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { tasks } from '../../src/worker/tasks.ts'
import { runCanvass } from '../support/run-canvass.ts'
import { useWorld } from '../support/world.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'canvass-backups-'))
const target = path.join(folder, 'backups')
const world = useWorld({
  realTime: true,
  settings: { BACKUP_SCHEDULE: '15  2 * * 1-5', BACKUP_TO: `${target}/`, BACKUP_KEEP: '2' },
})
beforeAll(() => {
  // The process of the backup reads the settings of this process.
  Object.assign(process.env, { SECRET_KEY: world.secretKey, DATA_DIR: world.dataDir })
})
afterAll(() => {
  for (const name of ['SECRET_KEY', 'DATA_DIR']) delete process.env[name]
  rmSync(folder, { recursive: true })
})

const signal = new AbortController().signal
const backUp = () => tasks['back-up'](world.context(), {}, signal)
const metric = async (name: string) => {
  const { text } = await world.anonymous.get('/metrics')
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
}

describe('back-up', () => {
  test('is scheduled once for all workers, in UTC', async () => {
    const workers = await Promise.all([world.application.startWorker(), world.application.startWorker()])
    const schedules = await world.application.boss.getSchedules('back-up')
    await Promise.all(workers.map((worker) => worker.stop()))
    expect(schedules).toMatchObject([{ name: 'back-up', cron: '15 2 * * 1-5', timezone: 'UTC' }])
  }, 60_000)

  test('stores a verified backup, deletes old ones, and reports success and failure in the metrics', async () => {
    expect(await metric('canvass_backup_last_success_timestamp_seconds')).toBe(0)
    for (let run = 0; run < 3; run += 1) {
      await backUp()
      // The name of a backup contains its time to the second. Without the pause, two backups could have the same name.
      await pause(1000)
    }
    const names = readdirSync(target)
    expect(names).toHaveLength(2)
    expect((await runCanvass({}, 'backup', 'verify', path.join(target, names[0]!))).code).toBe(0)
    const now = Date.now() / 1000
    expect(Math.abs((await metric('canvass_backup_last_success_timestamp_seconds')) - now)).toBeLessThan(60)
    expect(await metric('canvass_backup_last_failure_timestamp_seconds')).toBe(0)

    rmSync(target, { recursive: true })
    writeFileSync(target, 'not a folder')
    await expect(backUp()).rejects.toThrow(/backups.*\.backup cannot be opened or written \(E\w+\)/)
    expect(await metric('canvass_backup_last_failure_timestamp_seconds')).toBeGreaterThan(now - 60)
  }, 120_000)
})

describe('serve', () => {
  test('names an invalid schedule or target', async () => {
    const settings = { DATA_DIR: path.join(folder, 'data') }
    expect((await runCanvass({ ...settings, BACKUP_SCHEDULE: 'daily' }, 'serve')).output).toMatch(
      /^BACKUP_SCHEDULE must be a cron expression with five fields in UTC, .* not "daily"\.\n$/,
    )
    expect(
      (await runCanvass({ ...settings, BACKUP_SCHEDULE: '15 2 * * *', BACKUP_TO: '/mnt' }, 'serve')).output,
    ).toMatch(/^BACKUP_TO must be a folder or an S3 URL that ends with a slash, .* not "\/mnt"\.\n/)
  }, 60_000)
})
