import { afterEach, describe, expect, test } from '@jest/globals'
import { installJobs } from '../../src/db/migrate.ts'
import { enqueue, enqueueAll } from '../../src/domain/jobs.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const JOB = 'purge-webhook-deliveries'

afterEach(async () => {
  world.now = new Date(world.now.getTime() + 3 * 86_400_000)
  await world.runJobs()
})

describe('enqueue', () => {
  test('creates a job that runs once after the commit', async () => {
    await world.em().transactional((em) => enqueue({ ...world.context(), em }, JOB, {}))
    expect(await world.runJobs()).toEqual([{ name: JOB, payload: {} }])
    expect(await world.runJobs()).toEqual([])
  })

  test('creates no job after a rollback', async () => {
    const change = world.em().transactional(async (em) => {
      await enqueue({ ...world.context(), em }, JOB, {})
      throw new Error('rolled back')
    })
    await expect(change).rejects.toThrow('rolled back')
    expect(await world.runJobs()).toEqual([])
  })

  test('creates a job immediately outside a transaction', async () => {
    await enqueue(world.context(), JOB, {})
    expect(await world.runJobs()).toHaveLength(1)
  })

  test('creates a job that runs at its start time', async () => {
    const startAfter = new Date(world.now.getTime() + 60_000)
    await enqueue(world.context(), JOB, {}, { startAfter })
    expect(await world.runJobs()).toEqual([])
    world.now = new Date(startAfter.getTime() - 1000)
    expect(await world.runJobs()).toEqual([])
    world.now = startAfter
    expect(await world.runJobs()).toHaveLength(1)
  })

  test('creates 10,000 jobs within 20 seconds', async () => {
    const start = performance.now()
    await world.em().transactional(async (em) => {
      const entries = Array.from({ length: 10_000 }, () => ({ payload: {} }))
      await enqueueAll({ ...world.context(), em }, JOB, entries)
    })
    expect(performance.now() - start).toBeLessThan(20_000)
    expect(await world.application.boss.getQueueStats(JOB, { force: true })).toMatchObject([{ readyCount: 10_000 }])
    await world.application.boss.deleteQueuedJobs(JOB)
  })
})

describe('installJobs', () => {
  test('renames queued jobs of earlier versions', async () => {
    const { boss } = world.application
    const payload = { account: 0, subject: 'Hello', text: 'Hello', reference: 'one' }
    await boss.createQueue('send-notice')
    await boss.send('send-notice', payload)
    await boss.createQueue('send-letter')
    await boss.send('send-letter', { letter: { subject: 'Later' } }, { startAfter: 7200 })
    await boss.createQueue('seal-chunks')
    await boss.schedule('seal-chunks', '* * * * *', {})
    await installJobs(world.databaseUrl)
    const names = (await boss.getQueues()).map(({ name }) => name)
    expect(names).not.toEqual(expect.arrayContaining(['send-notice']))
    expect(names).not.toEqual(expect.arrayContaining(['seal-chunks']))
    expect(await boss.getSchedules('seal-chunks')).toEqual([])
    const renamed = await world.application.services.pool.query(
      "select name, data, start_after > created_on + interval '1 hour' as later from pgboss.job where name like 'send-%' order by name",
    )
    expect(renamed.rows).toEqual([
      { name: 'send-system-email', data: payload, later: false },
      { name: 'send-test-email', data: { message: { subject: 'Later' } }, later: true },
    ])
    await boss.deleteQueuedJobs('send-test-email')
    expect(await world.runJobs()).toEqual([{ name: 'send-system-email', payload }])
  })
})
