import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type RunningProgram, startProcess } from '../support/process.ts'
import { useReceiver } from '../support/receiver.ts'
import { makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld({ realTime: true })
const receiver = useReceiver()
const EVENTS = 60
let ann: Person
let survey: number
const started: RunningProgram[] = []
const startWorker = async () => {
  const worker = startProcess(world, 'src/main.ts', 'work')
  started.push(worker)
  await worker.waitForOutput('Canvass is running background jobs')
  return worker
}
beforeAll(async () => {
  ann = await world.person()
  survey = await makeSurvey(ann)
})
afterAll(async () => {
  for (const one of started) await one.kill('SIGKILL')
})

async function until(holds: () => boolean, millis: number): Promise<void> {
  for (const deadline = Date.now() + millis; !holds(); await pause(10))
    if (Date.now() > deadline) throw new Error(`not within ${millis} ms`)
}

describe('a killed worker', () => {
  test('in the middle of deliveries: every event arrives at least once, under a webhook-id of its own that stays', async () => {
    const json = { subscription_url: receiver.url('/hook'), event: 'response_complete' }
    await ann.post('/api/v3/webhooks/', { json })
    const complete = () => ann.post(`/api/v2/surveys/${survey}/responses/`, { form: { q1: '0' } })
    const replies = await Promise.all(Array.from({ length: EVENTS }, complete))
    receiver.setReply('/hook', (response) => setTimeout(() => response.end('heard'), 150))
    const victim = await startWorker()
    await until(() => receiver.received().length >= EVENTS / 3, 20_000)
    await victim.kill('SIGKILL')
    const before = receiver.received().length
    expect(before).toBeLessThan(EVENTS)
    await startWorker()
    const told = () =>
      new Map(receiver.received().map(({ headers, form }) => [Object.fromEntries(form).id, headers['webhook-id']]))
    await until(() => told().size === EVENTS, 60_000)
    expect([...told().keys()].sort()).toEqual(replies.map(({ body }) => String(body.id)).sort())
    const pairs = new Set(
      receiver.received().map(({ headers, form }) => `${Object.fromEntries(form).id} ${headers['webhook-id']}`),
    )
    expect(pairs.size).toBe(EVENTS)
    expect(new Set(told().values()).size).toBe(EVENTS)
    // What was in the victim's hands had arrived and was not noted: it comes again, under the id it had.
    await until(() => receiver.received().length > EVENTS, 60_000)
  }, 120_000)
})
