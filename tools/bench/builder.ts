import type { Page } from 'playwright-core'
import { launchBrowser } from '../../test/support/browser.ts'
import { startServer } from '../../test/support/running-server.ts'

/**
 * Goal for the time from a key press to the next paint, in milliseconds. Browsers call a task of more than 50 ms a long
 * task.
 */
const GOAL_MS = 50
const PAGES = 10
const QUESTIONS_PER_PAGE = 20
/** Pause between two keys of a fast typist, in milliseconds. */
const KEY_PAUSE_MS = 80
/**
 * A pause in which the builder saves the draft, in milliseconds. It is longer than the delay of the builder before it
 * saves.
 */
const SAVE_PAUSE_MS = 900
const TEXT = 'How satisfied are you with the answers of our support team in the last four weeks? '

const structure = {
  title: 'Two hundred questions',
  form: Array.from({ length: PAGES }, (_, page) => ({
    children: Array.from({ length: QUESTIONS_PER_PAGE }, (_, index) => ({
      idname: index % 2 ? 'single-choice' : 'text-response',
      id: `q${page}_${index}`,
      title: `Question ${index + 1} of page ${page + 1}`,
      ...(index % 2 && { children: [{ choices: [1, 2, 3, 4, 5].map((number) => ({ label: `Choice ${number}` })) }] }),
    })),
  })),
}

/** Runs in the page: records the time from each key press to the next paint, and all long tasks. */
const RECORD = `
  window.paints = []; window.longTasks = []
  addEventListener('keydown', (event) => {
    const start = event.timeStamp
    requestAnimationFrame(() => setTimeout(() => window.paints.push(performance.now() - start)))
  }, true)
  new PerformanceObserver((list) => {
    for (const { duration, startTime } of list.getEntries()) window.longTasks.push([Math.round(startTime), Math.round(duration)])
  }).observe({ entryTypes: ['longtask'] })`

/**
 * Measures the builder with 200 questions in Chromium: the time from each key press to the next paint, and long tasks.
 * Measures while the author types, while the draft is saved, and while a question is added and moved.
 */
export async function benchBuilder(): Promise<void> {
  const server = await startServer()
  const browser = await launchBrowser()
  try {
    const { body } = await server.client.post('/api/v3/surveys/', { form: { name: 'Long' } })
    await server.client.put(body.survey_structure_uri, { json: structure })
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    page.setDefaultTimeout(60_000)
    await page.goto(`${server.base}/account/surveys/${body.id}/edit/`)
    await page.getByLabel('Username or email').fill('ann')
    await page.getByLabel('Password').fill('a separate password')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('link', { name: 'Question 10 of page 5', exact: true }).waitFor()
    await page.waitForLoadState('networkidle')
    await page.evaluate(RECORD)
    await page.getByRole('link', { name: 'Question 10 of page 5', exact: true }).click()
    await page.getByLabel('Question', { exact: true }).waitFor()
    await report(page, 'opening a question')
    await page.keyboard.press('End')
    await page.keyboard.type(TEXT, { delay: KEY_PAUSE_MS })
    await report(page, 'typing')
    // After each word, the author pauses for so long that the builder saves the draft and loads the preview while the
    // author types the next word.
    for (const word of TEXT.split(' ').slice(0, 8)) {
      await page.keyboard.type(`${word} `, { delay: KEY_PAUSE_MS })
      await page.waitForTimeout(SAVE_PAUSE_MS)
    }
    await report(page, 'typing with pauses, while the draft is saved')
    await page.getByText('Saved to the draft').waitFor()
    await page.waitForTimeout(3_000)
    await report(page, 'saving, with the preview')
    await page.keyboard.press('Escape')
    await page.locator('.editing').waitFor({ state: 'detached' })
    await page.waitForTimeout(3_000)
    await report(page, 'closing the question')
    await page.getByRole('button', { name: 'Move up “Question 12 of page 5”' }).click()
    await page.getByRole('status').filter({ hasText: 'moved up to position' }).waitFor()
    await page.waitForTimeout(3_000)
    await report(page, 'moving a question')
  } finally {
    await browser.close()
    await server.stop()
  }
}

async function report(page: Page, step: string): Promise<void> {
  await page.waitForTimeout(100)
  const { paints, longTasks } = (await page.evaluate(
    '({ paints: window.paints.splice(0), longTasks: window.longTasks.splice(0) })',
  )) as { paints: number[]; longTasks: [number, number][] }
  const sorted = paints.sort((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)
  const keys =
    sorted.length > 1
      ? `key to paint: median ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms (goal ${GOAL_MS} ms); `
      : ''
  const tasks = longTasks.map(([, duration]) => `${duration} ms`).join(', ') || 'none'
  console.log(`builder, ${step}: ${keys}long tasks: ${tasks}`)
}
