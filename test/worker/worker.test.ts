import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { enqueue } from '../../src/domain/enqueue.ts'
import { type RunningProgram, startProcess } from '../support/process.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ realTime: true })
const JOB = 'purge-webhook-deliveries'
const started: RunningProgram[] = []
const start = (script: string, ...words: string[]) => {
  const one = startProcess(world, script, ...words)
  started.push(one)
  return one
}
const startTask = async (manner: string) => {
  const worker = start('test/support/worker.ts', manner)
  await worker.waitForOutput('ready')
  return worker
}
const rows = async (table: 'started' | 'finished'): Promise<number[]> =>
  (await world.application.services.pool.query(`table ${table}`)).rows.map(({ pid }) => pid)
async function until(holds: () => Promise<boolean>, millis: number): Promise<void> {
  for (const deadline = Date.now() + millis; !(await holds()); await pause(50))
    if (Date.now() > deadline) throw new Error(`not within ${millis} ms`)
}

beforeAll(() =>
  world.application.services.pool.query('create table started (pid integer); create table finished (pid integer)'),
)
beforeEach(() => world.application.services.pool.query('truncate started, finished'))
afterEach(async () => {
  for (const one of started.splice(0)) await one.kill('SIGKILL')
})

describe('startWorker', () => {
  test('does a job after its commit', async () => {
    await startTask('done')
    await world.em().transactional((em) => enqueue({ ...world.context(), em }, JOB, {}))
    await until(async () => (await rows('finished')).length === 1, 30_000)
  }, 60_000)

  test('two workers share the jobs, and none is done twice', async () => {
    const pair = await Promise.all([startTask('slow'), startTask('slow')])
    for (let count = 0; count < 4; count++) await enqueue(world.context(), JOB, {})
    await until(async () => (await rows('finished')).length === 4, 30_000)
    expect(new Set(await rows('started'))).toEqual(new Set(pair.map(({ pid }) => pid)))
    expect(await rows('started')).toHaveLength(4)
  }, 60_000)

  test('a worker that is told to stop finishes the job in hand', async () => {
    const worker = await startTask('slow')
    await enqueue(world.context(), JOB, {})
    await worker.waitForOutput('started')
    expect(await worker.kill('SIGTERM')).toBe(0)
    expect(await rows('finished')).toEqual([worker.pid])
  }, 60_000)

  test('the job of a killed worker is taken up by another within a minute', async () => {
    const victim = await startTask('hang')
    await enqueue(world.context(), JOB, {})
    await victim.waitForOutput('started')
    await victim.kill('SIGKILL')
    const heir = await startTask('done')
    await until(async () => (await rows('finished')).length === 1, 60_000)
    expect(await rows('finished')).toEqual([heir.pid])
  }, 80_000)
})

describe('work', () => {
  test('works jobs, answers no requests, and stops when told', async () => {
    const worker = start('src/main.ts', 'work')
    await worker.waitForOutput('Canvass is running background jobs')
    await enqueue(world.context(), JOB, {})
    // Taken is not done: a job that is no longer queued may still be under way.
    const done = async () => (await world.application.boss.findJobs(JOB)).every(({ state }) => state === 'completed')
    await until(done, 30_000)
    expect(await worker.kill('SIGTERM')).toBe(0)
  }, 60_000)
})
