import { type Browser, chromium } from 'playwright-core'
import { unpackChromium } from './chromium.ts'

/**
 * A headless Chromium: the one of the npm package, or the one the environment variable CHROMIUM names.
 * One a suite; give each test a context of its own (`browser.newContext()`), and close the browser at the end.
 * @throws Error that says what to install, when a shared library is missing or nothing fits this machine
 */
export async function launchBrowser(): Promise<Browser> {
  const given = process.env.CHROMIUM
  const { executablePath, env } = given ? { executablePath: given, env: {} } : await unpackChromium()
  try {
    return await chromium.launch({
      executablePath,
      env: { ...process.env, ...env },
      // As root there is no sandbox; the pages are our own. /dev/shm is 64 MB in a container.
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--font-render-hinting=none'],
    })
  } catch (error) {
    throw new Error(`Chromium does not start: ${advice(String(error), executablePath)}`, { cause: error })
  }
}

function advice(message: string, executable: string): string {
  const library = /error while loading shared libraries: (\S+):/.exec(message)?.[1]
  if (library)
    return `${library} is missing. Run "apt-get install -y libnss3 libnspr4 libexpat1", or install Chromium ("apt-get install -y chromium") and set CHROMIUM=/usr/bin/chromium.`
  if (/ENOENT|doesn't exist/.test(message)) return `there is no ${executable}. Set CHROMIUM to a Chromium, or unset it.`
  return `${message.split('\n')[0]}. Set CHROMIUM=/usr/bin/chromium to use another.`
}
