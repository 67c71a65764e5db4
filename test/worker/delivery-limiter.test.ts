import { describe, expect, test } from '@jest/globals'
import { DeliveryLimiter } from '../../src/worker/delivery-limiter.ts'

const webhooks = (from: number, count: number, failures = 0) =>
  Array.from({ length: count }, (_, index) => ({ id: from + index, failures }))
const total = (allocation: ReadonlyMap<number, number>) =>
  [...allocation.values()].reduce((sum, count) => sum + count, 0)
const never = () => new Promise<boolean>(() => undefined)

describe('the limit of concurrent deliveries', () => {
  test('doubles with each success of a webhook up to 8, and is 1 after a failure', async () => {
    const limiter = new DeliveryLimiter()
    const limits: number[] = []
    for (const succeeds of [true, true, true, true, false]) {
      limiter.acquire(1, 0, Promise.resolve(succeeds))
      await limiter.allFree()
      limits.push(limiter.allocate([{ id: 1, failures: 0 }]).get(1)!)
    }
    expect(limits).toEqual([2, 4, 8, 8, 1])
  })

  test('leaves slots for reliable webhooks when 1,000 others do not reply', async () => {
    const limiter = new DeliveryLimiter()
    for (let success = 0; success < 3; success += 1) {
      limiter.acquire(1, 0, Promise.resolve(true))
      await limiter.allFree()
    }
    const silent = [...webhooks(1_000, 500), ...webhooks(2_000, 500, 3)]
    const first = limiter.allocate(silent)
    expect(total(first)).toBe(256 + 128)
    for (const { id, failures } of silent) if (first.has(id)) limiter.acquire(id, failures, never())
    expect(limiter.allocate([...silent, { id: 1, failures: 0 }])).toEqual(new Map([[1, 8]]))
  })
})
