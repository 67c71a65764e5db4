import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { DEFAULT_EXPORT_OPTIONS } from '../../../src/domain/response/export/columns.ts'
import { ExportStream } from '../../../src/domain/response/export/export.ts'
import { createLines } from '../../../src/domain/response/export/lines.ts'
import { openSession } from '../../../src/domain/response/export/session.ts'
import { compile } from '../../../src/domain/structure/compile.ts'
import { normaliseStructure } from '../../../src/domain/structure/structure.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
const options = { ...DEFAULT_EXPORT_OPTIONS, inverted: true }
const lines = createLines({
  questionnaire: compile(normaliseStructure({ title: 'x' })),
  options,
  address: '',
  files: '',
  numbers: {},
  survey: 0,
  view: (row) => row,
})
const exporting = (from: string, parameters: unknown[] = []) => {
  const sql = `select 1::bigint as id, '\\x'::bytea as key, '{}'::jsonb as answers from ${from}`
  const session = () => openSession(world.application.services.pool)
  return new ExportStream({ session, rows: () => ({ sql, parameters }), lines, options })
}
const sessions = async (): Promise<number> => {
  const rows: { n: number }[] = await world
    .em()
    .getConnection()
    .execute(
      `select count(*)::integer as n from pg_stat_activity where datname = current_database() and query like 'copy (%'`,
    )
  return rows[0]!.n
}

/** A FROM clause that takes a minute and finds no row. */
const SILENT = 'pg_sleep(60) as silence (nothing) where nothing is null'

test('ExportStream releases the session within seconds after the client disconnects', async () => {
  const stream = exporting(SILENT)
  await once(stream, 'readable')
  expect(String(stream.read())).toMatch(/^response id/)
  stream.read()
  while ((await sessions()) === 0) await pause(10)
  stream.destroy()
  const { pool } = world.application.services
  expect(pool.totalCount - pool.idleCount).toBe(0)
  for (const deadline = Date.now() + 5_000; (await sessions()) > 0; await pause(50))
    if (Date.now() > deadline) throw new Error('PostgreSQL is still running the statement')
})

test('ExportStream uses at most half of the connections, so that submissions do not wait for exports', async () => {
  const { pool } = world.application.services
  const places = pool.options.max >> 1
  const streams = Array.from({ length: places + 1 }, () => exporting(SILENT))
  for (const stream of streams.slice(0, places)) await once(stream, 'readable')
  const waiting = once(streams[places]!, 'readable')
  await expect(pool.query('select 1')).resolves.toBeDefined()
  expect(await Promise.race([waiting, pause(50, 'waits')])).toBe('waits')
  streams[0]!.destroy()
  await waiting
  for (const stream of streams) stream.destroy()
})

test('ExportStream fails with the error of the database', async () => {
  await expect(exporting('nowhere').toArray()).rejects.toThrow('nowhere')
  await expect(exporting('generate_series(0, 50000) n where 1 / (40000 - n) > 5').toArray()).rejects.toThrow(
    'division by zero',
  )
  expect(await exporting('generate_series(1, $1) n where n < $1', [3]).toArray()).toHaveLength(1)
})
