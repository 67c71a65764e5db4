import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { enqueue } from '../../src/domain/jobs.ts'
import { freePort, settingsOf } from '../support/process.ts'
import { runCanvass } from '../support/run-canvass.ts'
import { usePrograms } from '../support/use-programs.ts'
import { waitUntil } from '../support/wait-until.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ realTime: true })
const JOB = 'purge-webhook-deliveries'
const { start, startWorker } = usePrograms(world)
const startTask = async (mode: 'done' | 'slow' | 'hang') => {
  const worker = start('test/support/worker.ts', mode)
  await worker.waitForOutput('ready')
  return worker
}
const rows = async (table: 'started' | 'finished'): Promise<number[]> =>
  (await world.application.services.pool.query(`table ${table}`)).rows.map(({ pid }) => pid)

beforeAll(() =>
  world.application.services.pool.query('create table started (pid integer); create table finished (pid integer)'),
)
beforeEach(() => world.application.services.pool.query('truncate started, finished'))

describe('startWorker', () => {
  test('runs a job after the commit', async () => {
    const worker = await startTask('done')
    await world.em().transactional((em) => enqueue({ ...world.context(), em }, JOB, {}))
    await waitUntil(async () => (await rows('finished')).length === 1, 30_000)
    await worker.kill('SIGTERM')
  }, 60_000)

  test('runs jobs that were added together one right after the other', async () => {
    const worker = await startTask('done')
    await world.em().transactional(async (em) => {
      for (let count = 0; count < 20; count++) await enqueue({ ...world.context(), em }, JOB, {})
    })
    // With a pause of two seconds before each, they would take 38 seconds.
    await waitUntil(async () => (await rows('finished')).length === 20, 20_000)
    await worker.kill('SIGTERM')
  }, 60_000)

  test('shares the jobs with another worker, so that each job runs once', async () => {
    const workers = await Promise.all([startTask('slow'), startTask('slow')])
    for (let count = 0; count < 4; count++) await enqueue(world.context(), JOB, {})
    await waitUntil(async () => (await rows('finished')).length === 4, 30_000)
    expect(new Set(await rows('started'))).toEqual(new Set(workers.map(({ pid }) => pid)))
    expect(await rows('started')).toHaveLength(4)
    for (const worker of workers) await worker.kill('SIGTERM')
  }, 60_000)

  test('finishes its current job on SIGTERM', async () => {
    const worker = await startTask('slow')
    await enqueue(world.context(), JOB, {})
    await worker.waitForOutput('started')
    expect(await worker.kill('SIGTERM')).toBe(0)
    expect(await rows('finished')).toEqual([worker.pid])
  }, 60_000)

  test('runs the job of a killed worker within a minute', async () => {
    const victim = await startTask('hang')
    await enqueue(world.context(), JOB, {})
    await victim.waitForOutput('started')
    await victim.kill('SIGKILL')
    const survivor = await startTask('done')
    await waitUntil(async () => (await rows('finished')).length === 1, 60_000)
    expect(await rows('finished')).toEqual([survivor.pid])
    await survivor.kill('SIGTERM')
  }, 80_000)
})

describe('canvass work', () => {
  test('answers Prometheus and health checks on METRICS_PORT, and refuses a port in use', async () => {
    const METRICS_PORT = String(await freePort())
    const base = `http://127.0.0.1:${METRICS_PORT}`
    const worker = await startWorker({ METRICS_PORT })
    const metrics = await (await fetch(`${base}/metrics`)).text()
    expect(metrics).toContain('canvass_webhook_attempts_total{result="delivered"} 0\n')
    const statuses = ['/healthz', '/readyz', '/api/v3/'].map(async (path) => (await fetch(base + path)).status)
    expect(await Promise.all(statuses)).toEqual([200, 200, 404])
    const other = await runCanvass({ ...settingsOf(world), METRICS_PORT }, 'work')
    expect(other).toEqual({ code: 1, output: expect.stringContaining(`Port ${METRICS_PORT} is already in use`) })
    expect(await worker.kill('SIGTERM')).toBe(0)
  }, 60_000)

  test('runs jobs and stops on SIGTERM', async () => {
    const worker = await startWorker()
    await enqueue(world.context(), JOB, {})
    const completed = async () =>
      (await world.application.boss.findJobs(JOB)).every(({ state }) => state === 'completed')
    await waitUntil(completed, 30_000)
    expect(await worker.kill('SIGTERM')).toBe(0)
  }, 60_000)
})
