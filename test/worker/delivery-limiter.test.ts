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
  const windowAfter = async (limiter: DeliveryLimiter, attempt: Promise<boolean>) => {
    limiter.acquire(webhook(1), attempt)
    await limiter.allFree()
    return limiter.allocate([webhook(1)]).get(1)!
  }

  test('doubles with each fast success of a webhook up to 64, and is 1 after a failure', async () => {
    const limiter = new DeliveryLimiter()
    const limits: number[] = []
    for (const succeeds of [true, true, true, true, true, true, true, false])
      limits.push(await windowAfter(limiter, Promise.resolve(succeeds)))
    expect(limits).toEqual([2, 4, 8, 16, 32, 64, 64, 1])
  })

  test('is halved by a success that is not fast, down to 8, and grows to 8 with such successes', async () => {
    const limiter = new DeliveryLimiter()
    await succeed(limiter, 1, 5)
    const limits: number[] = []
    for (let success = 0; success < 3; success += 1) limits.push(await windowAfter(limiter, later(260)))
    expect(limits).toEqual([16, 8, 8])
    const other = new DeliveryLimiter()
    for (let success = 0; success < 4; success += 1) limits.push(await windowAfter(other, later(260)))
    expect(limits.slice(3)).toEqual([2, 4, 8, 8])
  })

  test.each([
    ['all slots', undefined, 5, 320],
    ['the slots of an account', 7_000, 2, 128],
  ])('exceeds 8 only while more than half of %s are free', async (_, accountId, wide, others) => {
    const limiter = new DeliveryLimiter()
    const fast = webhooks(1, 100, accountId === undefined ? {} : { accountId })
    for (const { id } of fast) await succeed(limiter, id, 6)
    const limits = [...limiter.allocate(fast).values()]
    expect(limits).toEqual([...Array(wide).fill(64), ...Array(others / 8).fill(8)])
  })

  test('leaves slots for reliable webhooks when 1,000 others do not reply and 200 are slow', async () => {
    const limiter = new DeliveryLimiter()
    await succeed(limiter, 1, 6)
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
