import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { freePort } from './process.ts'
import { temporaryFolder } from './temp-postgres.ts'
import { waitUntil } from './wait-until.ts'

/** Long enough for one step on a busy machine. */
const STEP_MS = 60_000

export interface BrowserOptions {
  /** The width of the window in CSS pixels. */
  width: number
  /** Whether scripts of pages run. Those of the driver always run. */
  scripts: boolean
}

type Actions = { type: 'pointer' | 'key'; id: string; actions: object[]; parameters?: object }

/** What Firefox and WebKitGTK do by different protocols. */
interface Driver {
  /** Evaluates an expression in the page. @returns its value, a text */
  evaluate(expression: string): Promise<string>
  navigate(url: string): Promise<unknown>
  perform(actions: Actions): Promise<unknown>
  /** Chooses a file in the first element that matches. */
  chooseFile(selector: string, file: string): Promise<unknown>
  resize(width: number): Promise<unknown>
  stop(): Promise<void>
}

const HEIGHT = 900
/** As high as the pages: Firefox may scroll back after a script scrolled, and then a click meets something else. */
const TALL = 9_000

/** A browser of Debian with one window. */
export class DebianBrowser {
  private readonly driver: Driver

  private constructor(driver: Driver) {
    this.driver = driver
  }

  /** @throws Error that says how to install a program */
  static async start(name: 'Firefox' | 'WebKitGTK', options: BrowserOptions): Promise<DebianBrowser> {
    return new DebianBrowser(await (name === 'Firefox' ? startFirefox : startWebKit)(options))
  }

  stop = () => this.driver.stop()
  resize = (width: number) => this.driver.resize(width)
  open = (url: string) => this.driver.navigate(url)
  chooseFile = (selector: string, file: string) => this.driver.chooseFile(selector, file)

  /** Evaluates an expression in the page. @returns its value, which is JSON; that of no value is null */
  async run<Result>(expression: string): Promise<Result> {
    return JSON.parse(await this.driver.evaluate(`JSON.stringify(${expression}) ?? 'null'`))
  }

  /** Waits until an expression is true in a page that has loaded. */
  async until(expression: string): Promise<void> {
    let last: unknown
    try {
      await waitUntil(async () => {
        // While the next page loads, there is none.
        const test = this.run(`document.readyState === 'complete' && (${expression})`)
        last = await test.catch((error: Error) => error.message)
        return last === true
      }, STEP_MS)
    } catch {
      const text = await this.run<string>('document.body.innerText.slice(0, 2_000)')
      throw new Error(`${expression} was ${last} for ${STEP_MS} ms. The page shows:\n${text}`)
    }
  }

  /** Waits until the page shows a text. */
  shows = (text: string) => this.until(`document.body.innerText.includes(${JSON.stringify(text)})`)

  /** Clicks where an element is, and fails if another element covers it. */
  async click(selector: string): Promise<void> {
    const { x, y, covers } = await this.locate(selector)
    if (covers) throw new Error(`${selector} cannot be clicked: ${covers}`)
    await this.pointer([{ type: 'pointerMove', x, y }, press, release])
  }

  /** Draws a line across an element. */
  async draw(selector: string): Promise<void> {
    const { x, y } = await this.locate(selector)
    const to = (dx: number, dy: number) => ({ type: 'pointerMove', duration: 50, x: x + dx, y: y + dy })
    await this.pointer([to(-60, -20), press, to(-20, 20), to(20, -20), to(60, 20), release])
  }

  /** Presses keys where the focus is. */
  async type(text: string): Promise<void> {
    const actions = [...text].flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value })))
    await this.driver.perform({ type: 'key', id: 'keyboard', actions })
  }

  /** Clicks a field and types. */
  async fill(selector: string, text: string): Promise<void> {
    await this.click(selector)
    await this.type(text)
  }

  private pointer(actions: object[]) {
    return this.driver.perform({ type: 'pointer', id: 'mouse', actions, parameters: { pointerType: 'mouse' } })
  }

  /** Scrolls an element into view. @returns the position of its centre, and which other element is there */
  private locate = (selector: string) =>
    this.run<{ x: number; y: number; covers: string }>(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)})
      if (!element) return { covers: 'there is none' }
      element.scrollIntoView({ block: 'center', behavior: 'instant' })
      const { left, top, width, height } = element.getBoundingClientRect()
      const [x, y] = [Math.floor(left + width / 2), Math.floor(top + height / 2)]
      const there = document.elementFromPoint(x, y)
      const isIts = there && (element.contains(there) || element.control === there)
      return { x, y, covers: isIts ? '' : 'there is ' + there?.outerHTML.slice(0, 200) + ' at ' + x + ', ' + y }
    })()`)

  /** Returns the elements that make the page wider than its window. */
  tooWide = () =>
    this.run<string[]>(`(() => {
      const { scrollWidth, clientWidth } = document.documentElement
      if (scrollWidth <= clientWidth) return []
      const isWide = (element) => element.getBoundingClientRect().right > clientWidth
      const wide = [...document.body.querySelectorAll('*')].filter(isWide)
      return [scrollWidth + ' px', ...wide.map((element) => element.outerHTML.slice(0, 200))]
    })()`)
}

/** Keys of the WebDriver protocols. */
export const KEYS = { tab: '\uE004', enter: '\uE007', right: '\uE014' }

const press = { type: 'pointerDown', button: 0 }
const release = { type: 'pointerUp', button: 0 }

/** Starts a program. @throws Error that says how to install it */
function start(program: string, args: string[], env: Record<string, string>, name: string): ChildProcess {
  const found = program.startsWith('/')
    ? [program]
    : (process.env.PATH ?? '').split(':').map((at) => `${at}/${program}`)
  if (!found.some((at) => existsSync(at)))
    throw new Error(`${program} is not installed. On Debian: apt-get install --no-install-recommends ${name}`)
  return spawn(program, args, { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
}

/** Waits until a program prints what matches. @param stream the number of the stream that it prints to */
async function printed(program: ChildProcess, stream: 1 | 2 | 3, pattern: RegExp): Promise<string> {
  let output = ''
  program.stdio[stream]!.on('data', (chunk) => {
    output += chunk
  })
  await waitUntil(() => pattern.test(output) || program.exitCode !== null, STEP_MS)
  const found = pattern.exec(output)
  if (!found) throw new Error(`${program.spawnfile} ended: ${output}`)
  return found[1]!
}

async function end(...programs: ChildProcess[]): Promise<void> {
  for (const program of programs) {
    if (program.exitCode !== null || program.signalCode !== null) continue
    const ended = once(program, 'exit')
    program.kill()
    await ended
  }
}

/** Starts Firefox ESR without a display, which is controlled with WebDriver BiDi. */
async function startFirefox({ width, scripts }: BrowserOptions): Promise<Driver> {
  const folder = temporaryFolder()
  // Firefox does not start in a home of another user. No connection leaves this machine.
  writeFileSync(
    path.join(folder, 'user.js'),
    Object.entries({
      'app.normandy.enabled': false,
      'browser.safebrowsing.malware.enabled': false,
      'browser.safebrowsing.phishing.enabled': false,
      'datareporting.policy.dataSubmissionEnabled': false,
      'extensions.getAddons.cache.enabled': false,
      'javascript.enabled': scripts,
      'network.captive-portal-service.enabled': false,
      'network.connectivity-service.enabled': false,
      'services.settings.server': 'data:,',
    })
      .map(([name, value]) => `user_pref('${name}', ${JSON.stringify(value)});\n`)
      .join(''),
  )
  const args = ['--headless', '--no-remote', '--profile', folder, '--remote-debugging-port', '0']
  const firefox = start('firefox-esr', args, { HOME: folder, TMPDIR: folder }, 'firefox-esr')
  const address = await printed(firefox, 2, /WebDriver BiDi listening on (ws:\S+)/)
  const socket = new WebSocket(`${address}/session`)
  await once(socket, 'open')
  const waiting = new Map<number, (reply: { error?: string; message?: string; result: Reply }) => void>()
  socket.addEventListener('message', ({ data }) => {
    const reply = JSON.parse(data)
    waiting.get(reply.id)?.(reply)
  })
  let last = 0
  const send = (method: string, params: object): Promise<Reply> =>
    new Promise((resolve, reject) => {
      last += 1
      waiting.set(last, ({ error, message, result }) => {
        if (error) reject(new Error(`${method}: ${error}: ${message}`))
        else resolve(result)
      })
      socket.send(JSON.stringify({ id: last, method, params }))
    })
  await send('session.new', { capabilities: {} })
  const { context } = (await send('browsingContext.getTree', {})).contexts[0]
  const resize = (to: number) => send('browsingContext.setViewport', { context, viewport: { width: to, height: TALL } })
  await resize(width)
  const evaluate = async (expression: string, asNode = false): Promise<Reply> => {
    const { exceptionDetails, result } = await send('script.evaluate', {
      expression,
      target: { context },
      awaitPromise: false,
    })
    if (exceptionDetails) throw new Error(exceptionDetails.text)
    return asNode ? { sharedId: result.sharedId } : result.value
  }
  return {
    evaluate,
    navigate: (url) => send('browsingContext.navigate', { context, url, wait: 'complete' }),
    perform: (actions) => send('input.performActions', { context, actions: [actions] }),
    chooseFile: async (selector, file) =>
      send('input.setFiles', {
        context,
        element: await evaluate(`document.querySelector(${JSON.stringify(selector)})`, true),
        files: [file],
      }),
    resize,
    stop: async () => {
      socket.close()
      await end(firefox)
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: members of replies of another program
type Reply = any

/** The window is as narrow as a page, so the parts of MiniBrowser around it have no size. */
const NARROW_PARTS = '* { min-width: 0; margin: 0; padding: 0; font-size: 4px }'

/** Starts the MiniBrowser of WebKitGTK on a display without a screen, which is controlled with WebDriver. */
async function startWebKit({ width, scripts }: BrowserOptions): Promise<Driver> {
  const binary = globSync('/usr/lib/*/webkit2gtk-4.1/MiniBrowser')[0] ?? 'MiniBrowser'
  const folder = temporaryFolder()
  mkdirSync(path.join(folder, '.config/gtk-3.0'), { recursive: true })
  writeFileSync(path.join(folder, '.config/gtk-3.0/gtk.css'), NARROW_PARTS)
  const display = start('Xvfb', ['-displayfd', '3', '-screen', '0', '1400x1000x24', '-nolisten', 'tcp'], {}, 'xvfb')
  const port = await freePort()
  const env = {
    HOME: folder,
    DISPLAY: `:${await printed(display, 3, /^(\d+)\n/)}`,
    GSETTINGS_BACKEND: 'memory',
    NO_AT_BRIDGE: '1',
    WEBKIT_DISABLE_COMPOSITING_MODE: '1',
  }
  const driver = start('WebKitWebDriver', [`--port=${port}`], env, 'webkit2gtk-driver')
  const send = async (method: 'POST' | 'DELETE', at: string, body?: object): Promise<Reply> => {
    const reply = await fetch(`http://127.0.0.1:${port}/session${at}`, { method, body: JSON.stringify(body) })
    const { value } = (await reply.json()) as Reply
    if (!reply.ok) throw new Error(`${at}: ${value.error}: ${value.message}`)
    return value
  }
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/status`).then(
      ({ ok }) => ok,
      () => false,
    )
  await waitUntil(isReady, STEP_MS)
  const args = ['--automation', '--full-screen', `--enable-javascript-markup=${scripts}`]
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': { binary, args } } }
  const session = `/${(await send('POST', '', { capabilities })).sessionId}`
  const resize = (to: number) => send('POST', `${session}/window/rect`, { width: to, height: HEIGHT })
  await resize(width)
  return {
    evaluate: (expression) => send('POST', `${session}/execute/sync`, { script: `return ${expression}`, args: [] }),
    navigate: (url) => send('POST', `${session}/url`, { url }),
    perform: (actions) => send('POST', `${session}/actions`, { actions: [actions] }),
    chooseFile: async (selector, file) => {
      const element = await send('POST', `${session}/element`, { using: 'css selector', value: selector })
      await send('POST', `${session}/element/${Object.values(element)[0]}/value`, { text: file })
    },
    resize,
    stop: async () => {
      await send('DELETE', session)
      await end(driver, display)
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}
