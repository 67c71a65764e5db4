import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { createPictures, type Pictures } from '../../src/lib/pictures.ts'
import { BLOCKING_WORKER, closedGate, type WorkerTask } from '../support/blocking-worker.ts'
import type { Visitor } from '../support/http-browser.ts'
import { useWorld } from '../support/world.ts'
import { analyst, ten } from './survey-owner.ts'

const world = useWorld()
let browser: Visitor
let chart: string
beforeAll(async () => {
  const made = await analyst(world)
  await ten(world, made.id)
  browser = made.browser
  chart = `/account/surveys/${made.id}/reports/all/charts/bread/chart.png`
})

let pictures: Pictures | undefined
function drawWith(task: Partial<WorkerTask>, timeoutMs = 60_000) {
  const options = { worker: BLOCKING_WORKER, workerData: { name: 'drawn', ...task }, maxWaiting: 0, timeoutMs }
  pictures = createPictures(options)
  world.application.services.pictures.png = pictures.png
}
afterEach(() => pictures?.close())

test('a picture that finds no place in the queue returns 503, and other requests are answered meanwhile', async () => {
  const { gate, open } = closedGate()
  drawWith({ gate })
  const both = [browser.get(chart), browser.get(chart)]
  // One of the two is drawn; the other has no place in the line, and is answered while the first cannot be.
  const refused = await Promise.race(both)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(refused.text).toContain('Too many images are being rendered. Try again in a moment.')
  expect((await world.anonymous.get('/healthz')).status).toBe(200)
  expect((await browser.get('/account/surveys/')).status).toBe(200)
  open()
  expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 503])
})

test('a picture that takes too long returns 503', async () => {
  drawWith({ gate: closedGate().gate }, 200)
  const { status, text } = await browser.get(chart)
  expect(status).toBe(503)
  expect(text).toContain('Rendering the image took too long. Request the SVG file, which shows the same chart.')
})

test('a worker thread that exits fails one picture only', async () => {
  drawWith({ name: 'exit' })
  expect((await browser.get(chart)).status).toBe(500)
  drawWith({})
  expect(await browser.get(chart)).toMatchObject({ status: 200, text: 'drawn' })
})
