import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Worker } from '../../src/worker/worker.ts'
import { replyHandlers, useReceiver } from '../support/receiver.ts'
import { makeSurvey } from '../support/responses.ts'
import { waitUntil } from '../support/wait-until.ts'
import { useWorld } from '../support/world.ts'

const receiver = useReceiver()
let worker: Worker
// Before the application closes: a worker that records an attempt afterwards would connect to the database again.
afterAll(() => worker.stop(), 60_000)
const world = useWorld({ realTime: true })
beforeAll(async () => {
  worker = await world.application.startWorker()
})

describe('a webhook subscriber that is unreachable or never replies [spec 11.5]', () => {
  test('does not delay 200 deliveries to another subscriber', async () => {
    const ann = await world.person()
    const survey = await makeSurvey(ann)
    const subscribe = (subscription_url: string) =>
      ann.post('/api/v3/webhooks/', { json: { subscription_url, event: 'response_complete' } })
    const burst = async () => {
      const before = receiver.received('/good').length
      const start = performance.now()
      const complete = () => ann.post(`/api/v3/surveys/${survey}/responses/`, { json: { q1: 0, _completed: 1 } })
      await Promise.all(Array.from({ length: 200 }, complete))
      const stored = performance.now()
      await waitUntil(() => receiver.received('/good').length === before + 200, 20_000)
      const last = Math.max(...receiver.received('/good').map(({ at }) => at))
      return { stored: Math.round(stored - start), delivered: Math.round(last - start) }
    }
    await subscribe(receiver.url('/good'))
    await burst()
    const alone = await burst()
    receiver.setReply('/stalled', replyHandlers.stall)
    await subscribe(receiver.url('/stalled'))
    await subscribe('http://127.0.0.1:1/unreachable')
    await burst()
    const concurrent = await burst()
    console.log(
      `200 events, milliseconds: alone ${JSON.stringify(alone)}, with failing subscribers ${JSON.stringify(concurrent)}`,
    )
    expect(receiver.received('/stalled').length).toBeGreaterThan(0)
    expect(receiver.received('/stalled').length).toBeLessThanOrEqual(8)
    expect(concurrent.delivered - concurrent.stored).toBeLessThan(alone.delivered - alone.stored + 3000)
  }, 60_000)
})
