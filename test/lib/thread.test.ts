import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { Thread, type ThreadOptions } from '../../src/lib/thread.ts'
import { closedGate, type Given, HOLDING } from '../support/blocking-worker.ts'

const opened: Thread<Given, string>[] = []
afterEach(async () => {
  for (const thread of opened.splice(0)) await thread.close()
})

function threadOf(options: Partial<ThreadOptions> = {}) {
  const thread = new Thread<Given, string>(HOLDING, { line: 2, patience: 60_000, idle: 60_000, ...options })
  opened.push(thread)
  return thread
}

const why = (promise: Promise<unknown>) => promise.then(String, ({ why }) => why)

describe('a thread', () => {
  test('works beside the event loop, one piece after the other, for as many as may wait', async () => {
    const thread = threadOf()
    const { gate, open } = closedGate()
    const made: string[] = []
    const work = ['first', 'second', 'third'].map(async (name) => made.push(await thread.run({ name, gate })))
    expect(await why(thread.run({ name: 'fourth' }))).toBe('busy')
    // The thread cannot go on before this one has answered.
    await new Promise((resolve) => setImmediate(resolve))
    expect(made).toEqual([])
    open()
    await Promise.all(work)
    expect(made).toEqual(['first', 'second', 'third'])
    expect(await thread.run({ name: 'fifth' })).toBe('fifth')
  })

  test('that takes too long is ended, and the next piece is made', async () => {
    const thread = threadOf({ patience: 2_000 })
    const endless = why(thread.run({ name: 'endless', gate: closedGate().gate }))
    const next = thread.run({ name: 'next' })
    expect(await endless).toBe('late')
    expect(await next).toBe('next')
  })

  test.each(['throw', 'exit'])('that dies (%s) is lost, and the next piece is made', async (name) => {
    const thread = threadOf()
    const [lost, next] = [why(thread.run({ name })), thread.run({ name: 'next' })]
    expect([await lost, await next]).toEqual(['lost', 'next'])
  })

  test('without work ends, and is there again', async () => {
    const thread = threadOf({ idle: 1 })
    expect(await thread.run({ name: 'count' })).toBe('1')
    // Only another thread begins to count again.
    do await pause(20)
    while ((await thread.run({ name: 'count' })) !== '1')
  })

  test('that is closed refuses whoever waits and whoever comes', async () => {
    const thread = threadOf()
    const { gate } = closedGate()
    const work = ['first', 'second'].map((name) => why(thread.run({ name, gate })))
    await thread.close()
    expect(await Promise.all([...work, why(thread.run({ name: 'third' }))])).toEqual(['lost', 'lost', 'lost'])
  })
})
