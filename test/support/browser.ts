import { type Browser, chromium } from 'playwright-core'
import { unpackChromium } from './chromium.ts'

/**
 * Starts a headless Chromium: the Chromium of the npm package, or the program that the environment variable CHROMIUM
 * names. A test file starts one browser, creates a context for each test (`browser.newContext()`), and closes the
 * browser.
 * @throws Error with instructions if a shared library is missing or the package does not support this machine
 */
export async function launchBrowser(): Promise<Browser> {
  const configuredPath = process.env.CHROMIUM
  const { executablePath, env } = configuredPath ? { executablePath: configuredPath, env: {} } : await unpackChromium()
  try {
    return await chromium.launch({
      executablePath,
      env: { ...process.env, ...env },
      // The sandbox does not work as root. It is not needed, because the browser opens only pages of this project.
      // /dev/shm has only 64 MB in a container.
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
  if (/ENOENT|doesn't exist/.test(message))
    return `there is no ${executable}. Set CHROMIUM to the path of a Chromium, or unset it.`
  return `${message.split('\n')[0]}. Set CHROMIUM=/usr/bin/chromium to use another browser.`
}
