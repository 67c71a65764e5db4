import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { createPictures, type Pictures } from '../../src/lib/pictures.ts'
import type { HttpBrowser } from '../support/http-browser.ts'
import { exitingTask, waitingTasks } from '../support/sandbox.ts'
import { useWorld } from '../support/world.ts'
import { addTenResponses, signInOwner } from './survey-owner.ts'

const world = useWorld()
let browser: HttpBrowser
let chart: string
beforeAll(async () => {
  const owner = await signInOwner(world)
  await addTenResponses(world, owner.id)
  browser = owner.browser
  chart = `/account/surveys/${owner.id}/reports/all/charts/bread/chart.png`
})

let pictures: Pictures | undefined
function renderWith(tasks: Parameters<typeof createPictures>[0], timeoutMs = 60_000) {
  pictures = createPictures({ ...tasks, maxWaiting: 0, timeoutMs })
  world.application.services.pictures.png = pictures.png
}
afterEach(() => pictures?.close())

describe('the PNG image of a chart', () => {
  test('returns 503 with Retry-After if the queue is full, and does not delay other requests', async () => {
    const { open, ...tasks } = await waitingTasks()
    renderWith(tasks)
    const requests = [browser.get(chart), browser.get(chart)]
    // One image is rendered. The other is rejected before the first is finished, because the queue is full.
    const rejected = await Promise.race(requests)
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '5'])
    expect(rejected.text).toContain('Too many images are being rendered. Try again in a moment.')
    expect((await world.anonymous.get('/healthz')).status).toBe(200)
    expect((await browser.get('/account/surveys/')).status).toBe(200)
    await open()
    expect((await Promise.all(requests)).map(({ status }) => status).sort()).toEqual([200, 503])
  })

  test('returns 503 if rendering takes too long', async () => {
    renderWith(await waitingTasks(), 200)
    const { status, text } = await browser.get(chart)
    expect(status).toBe(503)
    expect(text).toContain('Rendering the image took too long. Request the SVG file, which shows the same chart.')
  })

  test('returns 500 if the process exits, and a new process renders the next image', async () => {
    renderWith(await exitingTask())
    expect((await browser.get(chart)).status).toBe(500)
    expect(await browser.get(chart)).toMatchObject({ status: 200, text: 'done' })
  })
})
