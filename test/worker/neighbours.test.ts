import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Worker } from '../../src/worker/worker.ts'
import { replyHandlers, useReceiver } from '../support/receiver.ts'
import { makeSurvey } from '../support/responses.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ realTime: true })
const receiver = useReceiver()
let worker: Worker
beforeAll(async () => {
  worker = await world.application.startWorker()
})
afterAll(() => worker.stop())

describe('one dead and one stalled subscriber', () => {
  test('delay nobody else: 200 events reach a good one as if they were not there', async () => {
    const ann = await world.person()
    const survey = await makeSurvey(ann)
    const subscribe = (subscription_url: string) =>
      ann.post('/api/v3/webhooks/', { json: { subscription_url, event: 'response_complete' } })
    const burst = async () => {
      const before = receiver.received('/good').length
      const began = performance.now()
      const complete = () => ann.post(`/api/v2/surveys/${survey}/responses/`, { form: { q1: '0' } })
      await Promise.all(Array.from({ length: 200 }, complete))
      const stored = performance.now()
      for (const deadline = stored + 20_000; receiver.received('/good').length < before + 200; await pause(5))
        if (performance.now() > deadline) throw new Error(`${receiver.received('/good').length - before} of 200`)
      const last = Math.max(...receiver.received('/good').map(({ at }) => at))
      return { stored: Math.round(stored - began), delivered: Math.round(last - began) }
    }
    await subscribe(receiver.url('/good'))
    await burst()
    const alone = await burst()
    receiver.setReply('/stalled', replyHandlers.stall)
    await subscribe(receiver.url('/stalled'))
    await subscribe('http://127.0.0.1:1/dead')
    await burst()
    const beside = await burst()
    console.log(`200 events, milliseconds: alone ${JSON.stringify(alone)}, beside them ${JSON.stringify(beside)}`)
    expect(receiver.received('/stalled').length).toBeGreaterThan(0)
    expect(receiver.received('/stalled').length).toBeLessThanOrEqual(8)
    expect(beside.delivered - beside.stored).toBeLessThan(alone.delivered - alone.stored + 3000)
  }, 60_000)
})
