import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { type RunningServer, startServer } from '../support/running-server.ts'

/** The start fills a new space of 32 MB and more; an idle process needs a few megabytes. */
const MAX_NEW_SPACE = 16e6

let server: RunningServer
beforeAll(async () => {
  server = await startServer()
}, 60_000)
afterAll(() => server?.stop())

const newSpace = () => server.metric('nodejs_heap_space_size_total_bytes{space="new"}')

it('returns the memory of the start to the system when the process is idle', async () => {
  expect(await newSpace()).toBeGreaterThan(MAX_NEW_SPACE)
  // Asks seldom, because the process is not idle while it answers. The test fails by its timeout.
  while ((await newSpace()) >= MAX_NEW_SPACE) await pause(3_000)
}, 240_000)
