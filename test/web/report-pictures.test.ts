import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { Thread } from '../../src/lib/thread.ts'
import { closedGate, type Given, HOLDING } from '../support/blocking-worker.ts'
import { useWorld } from '../support/world.ts'
import { analyst, ten } from './respondents.ts'
import type { Visitor } from './visitor.ts'

const world = useWorld()
let browser: Visitor
let chart: string
beforeAll(async () => {
  const made = await analyst(world)
  await ten(world, made.id)
  browser = made.browser
  chart = `/account/surveys/${made.id}/reports/all/charts/bread/chart.png`
})

/** Draws with a thread that does as it is told. */
let thread: Thread<Given, string> | undefined
function drawWith(given: Partial<Given>, patience = 60_000) {
  const held = new Thread<Given, string>(HOLDING, { line: 0, patience, idle: 60_000 })
  thread = held
  world.wired.services.pictures.png = async () => Buffer.from(await held.run({ name: 'drawn', ...given }))
}
afterEach(() => thread?.close())

test('everybody else is answered while a picture is drawn, and no more are drawn than can be', async () => {
  const { gate, open } = closedGate()
  drawWith({ gate })
  const both = [browser.get(chart), browser.get(chart)]
  // One of the two is drawn; the other has no place in the line, and is answered while the first cannot be.
  const refused = await Promise.race(both)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(refused.text).toContain('Too many pictures are being drawn. Try again in a moment.')
  expect((await world.nobody.get('/healthz')).status).toBe(200)
  expect((await browser.get('/account/surveys/')).status).toBe(200)
  open()
  expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 503])
})

test('a picture that takes too long is given up', async () => {
  drawWith({ gate: closedGate().gate }, 200)
  const { status, text } = await browser.get(chart)
  expect(status).toBe(503)
  expect(text).toContain('This picture takes too long to draw. The SVG file shows the same.')
})

test('a thread that dies takes nobody with it', async () => {
  drawWith({ name: 'exit' })
  expect((await browser.get(chart)).status).toBe(500)
  drawWith({})
  expect(await browser.get(chart)).toMatchObject({ status: 200, text: 'drawn' })
})
