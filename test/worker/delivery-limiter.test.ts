import { describe, expect, test } from '@jest/globals'
import { DeliveryLimiter } from '../../src/worker/delivery-limiter.ts'

const webhook = (id: number, accountId = id, failures = 0) => ({ id, accountId, failures })
const webhooks = (
  from: number,
  count: number,
  { accountId, failures = 0 }: { accountId?: number; failures?: number },
) => Array.from({ length: count }, (_, index) => webhook(from + index, accountId ?? from + index, failures))
const total = (allocation: ReadonlyMap<number, number>) =>
  [...allocation.values()].reduce((sum, count) => sum + count, 0)
const never = () => new Promise<boolean>(() => undefined)
const later = (delayMs: number) => new Promise<boolean>((resolve) => setTimeout(() => resolve(true), delayMs))

async function succeed(limiter: DeliveryLimiter, id: number, times: number, delayMs = 0): Promise<void> {
  for (let success = 0; success < times; success += 1) {
    limiter.acquire(webhook(id), delayMs ? later(delayMs) : Promise.resolve(true))
    await limiter.allFree()
  }
}

describe('the limit of concurrent deliveries', () => {
  test('doubles with each success of a webhook up to 8, and is 1 after a failure', async () => {
    const limiter = new DeliveryLimiter()
    const limits: number[] = []
    for (const succeeds of [true, true, true, true, false]) {
      limiter.acquire(webhook(1), Promise.resolve(succeeds))
      await limiter.allFree()
      limits.push(limiter.allocate([webhook(1)]).get(1)!)
    }
    expect(limits).toEqual([2, 4, 8, 8, 1])
  })

  test('leaves slots for reliable webhooks when 1,000 others do not reply and 200 are slow', async () => {
    const limiter = new DeliveryLimiter()
    await succeed(limiter, 1, 3)
    const slow = webhooks(3_000, 200, {})
    for (const each of slow) limiter.acquire(each, later(1_050))
    await limiter.allFree()
    const others = [...webhooks(1_000, 500, {}), ...webhooks(2_000, 500, { failures: 3 }), ...slow]
    const first = limiter.allocate(others)
    expect(total(first)).toBe(256 + 128 + 128)
    for (const each of others)
      for (let count = first.get(each.id) ?? 0; count > 0; count -= 1) limiter.acquire(each, never())
    expect(limiter.allocate([...others, webhook(1)])).toEqual(new Map([[1, 8]]))
  })

  test('leaves slots for other accounts when an account has 1,000 webhooks that do not reply', () => {
    const limiter = new DeliveryLimiter()
    const ofOne = webhooks(1_000, 1_000, { accountId: 7 })
    const first = limiter.allocate(ofOne)
    expect(total(first)).toBe(192)
    for (const each of ofOne) if (first.has(each.id)) limiter.acquire(each, never())
    expect(limiter.allocate([...ofOne, webhook(1)])).toEqual(new Map([[1, 1]]))
  })

  test('gives each account a slot before any account gets a second one', () => {
    const ofOne = webhooks(1_000, 300, { accountId: 7_000 })
    const others = webhooks(1, 100, {})
    const allocation = new DeliveryLimiter().allocate([...ofOne, ...others])
    expect(others.every(({ id }) => allocation.get(id) === 1)).toBe(true)
    expect(total(allocation)).toBe(256)
  })
})
