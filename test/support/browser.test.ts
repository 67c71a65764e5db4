import { afterEach, describe, expect, test } from '@jest/globals'
import { launchBrowser } from './browser.ts'

describe('launchBrowser', () => {
  const previous = process.env.CHROMIUM
  afterEach(() => {
    if (previous === undefined) delete process.env.CHROMIUM
    else process.env.CHROMIUM = previous
  })

  test('starts a browser that runs scripts and takes screenshots', async () => {
    const browser = await launchBrowser()
    try {
      const page = await browser.newPage()
      await page.setContent('<title>Héllo</title><button onclick="this.textContent = 2">1</button>')
      await page.click('button')
      expect(await page.title()).toBe('Héllo')
      expect(await page.textContent('button')).toBe('2')
      expect((await page.screenshot()).subarray(1, 4).toString()).toBe('PNG')
    } finally {
      await browser.close()
    }
  })

  test('throws an error with instructions if the file named by CHROMIUM does not exist', async () => {
    process.env.CHROMIUM = '/nowhere/chromium'
    await expect(launchBrowser()).rejects.toThrow(/no \/nowhere\/chromium\. Set CHROMIUM/)
  })
})
