import { expect, test } from '@jest/globals'
import { Gate } from '../../src/lib/gate.ts'

test('a place that is given back goes to the first in line', async () => {
  const gate = new Gate(1)
  const leave = (await gate.enter(10))!
  const order: string[] = []
  const enter = async (name: string) => {
    const done = await gate.enter(5_000)
    order.push(name)
    done!()
  }
  const line = [enter('second'), enter('third')]
  leave()
  leave()
  await Promise.all(line)
  expect(order).toEqual(['second', 'third'])
  expect(await gate.enter(10)).toBeDefined()
})

test('who waits too long is turned away, and leaves the line', async () => {
  const gate = new Gate(1)
  const leave = (await gate.enter(10))!
  expect(await gate.enter(10)).toBeUndefined()
  leave()
  expect(await gate.enter(10)).toBeDefined()
})
