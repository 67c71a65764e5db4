import { beforeAll, describe, expect, test } from '@jest/globals'
import { useReceiver } from '../support/receiver.ts'
import { makeSurvey } from '../support/responses.ts'
import { usePrograms } from '../support/use-programs.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld({ realTime: true })
const receiver = useReceiver()
const { startWorker } = usePrograms(world)
const EVENTS = 200
let ann: Person
let survey: number
beforeAll(async () => {
  ann = await world.person()
  survey = await makeSurvey(ann)
})

const eventId = ({ form }: { form: [string, string][] }) => Object.fromEntries(form).id

describe('webhook deliveries of a killed worker', () => {
  test('are continued by another worker: every event arrives at least once, and repeated ones keep their webhook-id', async () => {
    const json = { subscription_url: receiver.url('/hook'), event: 'response_complete' }
    await ann.post('/api/v3/webhooks/', { json })
    const complete = () => ann.post(`/api/v3/surveys/${survey}/responses/`, { json: { q1: 0, _completed: 1 } })
    const replies = await Promise.all(Array.from({ length: EVENTS }, complete))
    receiver.setReply('/hook', (response) => setTimeout(() => response.end(), 150))
    const killedWorker = await startWorker()
    await waitUntil(() => receiver.received().length >= EVENTS / 3, 20_000)
    await killedWorker.kill('SIGKILL')
    expect(receiver.received().length).toBeLessThan(EVENTS)
    await startWorker()
    const webhookIds = () =>
      new Map(receiver.received().map((request) => [eventId(request), request.headers['webhook-id']]))
    await waitUntil(() => webhookIds().size === EVENTS, 60_000)
    expect([...webhookIds().keys()].sort()).toEqual(replies.map(({ body }) => String(body.id)).sort())
    const idPairs = receiver.received().map((request) => `${eventId(request)} ${request.headers['webhook-id']}`)
    expect(new Set(idPairs).size).toBe(EVENTS)
    expect(new Set(webhookIds().values()).size).toBe(EVENTS)
    // The killed worker did not record the deliveries that were under way, so they are repeated.
    await waitUntil(() => receiver.received().length > EVENTS, 60_000)
  }, 120_000)
})
