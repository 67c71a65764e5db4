import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { useWorld } from '../support/world.ts'

const world = useWorld({ realTime: true })

/** Returns the number of connections of the entity manager, as `/metrics` reports them. */
async function connections(state: 'total' | 'idle' | 'waiting'): Promise<number> {
  const { text } = await world.anonymous.get('/metrics')
  return Number(new RegExp(`^database_connections\\{pool="entities",state="${state}"\\} (\\d+)$`, 'm').exec(text)?.[1])
}

describe('the pool of the entity manager', () => {
  test('replaces connections that PostgreSQL closes during a transaction', async () => {
    // Repeats the failure more often than the pool has connections.
    for (let round = 0; round < 12; round += 1) {
      const idle = world.em().transactional(async (em) => {
        await em.execute(`set local idle_in_transaction_session_timeout = 20`)
        await pause(100)
        await em.execute('select 1')
      })
      await expect(idle).rejects.toThrow()
    }
    expect(await connections('idle')).toBe(await connections('total'))
    expect(await connections('waiting')).toBe(0)
    await expect(world.em().execute('select 1 as value')).resolves.toEqual([{ value: 1 }])
  })
})

describe('/readyz [spec 14.1]', () => {
  test('returns 503 while the database is read-only, like every request that writes', async () => {
    const person = await world.person()
    expect((await world.anonymous.get('/readyz')).status).toBe(200)
    await readOnly('on')
    expect((await world.anonymous.get('/readyz')).status).toBe(503)
    const rejected = await person.post('/api/v3/surveys/', { json: { name: 'Lunch' } })
    expect([rejected.status, rejected.body.code, rejected.headers.get('retry-after')]).toEqual([
      503,
      'unavailable',
      '2',
    ])
    await readOnly('off')
    expect((await world.anonymous.get('/readyz')).status).toBe(200)
  })
})

/** Makes the database read-only or writable, and ends all other sessions, as a failover to a standby does. */
async function readOnly(value: 'on' | 'off'): Promise<void> {
  const client = new pg.Client({ connectionString: world.databaseUrl })
  await client.connect()
  const name = client.escapeIdentifier(client.database!)
  await client.query('set session characteristics as transaction read write')
  await client.query(`alter database ${name} set default_transaction_read_only = ${value}`)
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await client.end()
  await pause(100)
}
