import path from 'node:path'
import type { Locator, Page } from 'playwright-core'

/**
 * Uses a page as a person does, and counts: each click, each text typed into a field, each choice in a menu and each key
 * command is one action. Page loads are counted apart. With SCREENSHOTS, saves a picture after each action.
 */
export class CountedUser {
  actions = 0
  loads = 0
  readonly #page: Page
  readonly #journey: string

  /** @param journey the name of the journey in the names of its pictures */
  constructor(page: Page, journey: string) {
    this.#page = page
    this.#journey = journey
    page.on('load', () => {
      this.loads += 1
    })
  }

  /** Opens an address that the person knows, such as that of a bookmark or a message. */
  async open(address: string): Promise<void> {
    await this.#page.goto(address)
    await this.#did()
  }

  /** Clicks the button, link or summary with this name, or an element. */
  async press(target: string | RegExp | Locator): Promise<void> {
    await this.#control(target).click()
    await this.#did()
  }

  #control(target: string | RegExp | Locator): Locator {
    if (typeof target === 'object' && 'click' in target) return target
    const named = (role: 'button' | 'link') =>
      this.#page.getByRole(role, { name: target, exact: typeof target === 'string' })
    return named('button')
      .or(named('link'))
      .or(this.#page.locator('summary').filter({ hasText: target }))
      .first()
  }

  /** Clicks into the field with this label and types, which replaces what the click has selected. */
  async type(label: string | Locator, text: string): Promise<void> {
    await this.#field(label).click()
    await this.#page.keyboard.type(text)
    await this.#did()
  }

  /** Types where the focus is. */
  async typeHere(text: string): Promise<void> {
    await this.#page.keyboard.type(text)
    await this.#did()
  }

  /** Clicks into the field with this label and pastes a text that was copied elsewhere. */
  async paste(label: string | Locator, text: string): Promise<void> {
    const page = this.#page
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await this.#field(label).click()
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
    await page.keyboard.press('Control+v')
    await this.#did()
  }

  async choose(label: string, option: string): Promise<void> {
    await this.#page.getByLabel(label, { exact: true }).selectOption({ label: option })
    await this.#did()
  }

  async upload(label: string, file: string): Promise<void> {
    await this.#page.getByLabel(label, { exact: true }).and(this.#page.locator('input')).setInputFiles(file)
    await this.#did()
  }

  /** Presses a key, or several at once, such as `Control+v`. */
  async key(keys: string): Promise<void> {
    await this.#page.keyboard.press(keys)
    await this.#did()
  }

  #field(label: string | Locator): Locator {
    return typeof label === 'string' ? this.#page.getByLabel(label, { exact: true }).first() : label
  }

  async #did(): Promise<void> {
    this.actions += 1
    const folder = process.env.SCREENSHOTS
    if (!folder) return
    await this.#page.waitForLoadState()
    const name = `counted-${this.#journey}-${String(this.actions).padStart(2, '0')}.png`
    await this.#page.screenshot({ path: path.join(folder, name) })
  }
}

/** Prints the counts of a journey if JOURNEYS is set, as `make journeys` does. */
export function printCounts(journey: string, ...users: readonly Pick<CountedUser, 'actions' | 'loads'>[]): number {
  const sum = (name: 'actions' | 'loads') => users.reduce((total, user) => total + user[name], 0)
  if (process.env.JOURNEYS)
    process.stderr.write(`${journey.padEnd(44)} ${sum('actions')} actions, ${sum('loads')} page loads\n`)
  return sum('actions')
}
