import type { Page } from 'playwright-core'

/** How a person uses a page: with the keyboard alone, by touch, or with a mouse. */
export interface Driver {
  /** Presses the button, link or summary with exactly this name. */
  press(name: string): Promise<void>
  /** Replaces the text of the field with this label. */
  fill(label: string, text: string): Promise<void>
  /** Chooses an option of the list with this label. */
  choose(label: string, option: string): Promise<void>
}

/** The maximum number of times that Tab is pressed. No page has as many controls. */
const MAX_TABS = 400

/** Returns the name of the focused control, as screen readers read it. */
const FOCUSED_NAME = `(() => {
  const focused = document.activeElement
  const text = focused?.getAttribute('aria-label') ?? focused?.labels?.[0]?.textContent ?? focused?.textContent ?? ''
  return text.replace(/\\s+/g, ' ').trim()
})()`

/** Uses only the keyboard: Tab until a control has the focus, then Enter or text. */
export function keyboardOn(page: Page): Driver {
  const tabTo = async (name: string): Promise<void> => {
    for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
      if ((await page.evaluate(FOCUSED_NAME)) === name) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`Tab does not reach “${name}”.`)
  }
  return {
    async press(name) {
      await tabTo(name)
      await page.keyboard.press('Enter')
    },
    async fill(label, text) {
      await tabTo(label)
      await page.keyboard.press('Control+a')
      await page.keyboard.type(text)
    },
    async choose(label, option) {
      await tabTo(label)
      await page.keyboard.type(option)
    },
  }
}

/** Touches or clicks the controls. */
export function pointerOn(page: Page, way: 'tap' | 'click'): Driver {
  return {
    async press(name) {
      const control = page.getByRole('button', { name, exact: true }).or(page.getByRole('link', { name, exact: true }))
      const summary = page.locator('summary').filter({ hasText: name })
      await control.or(summary).first()[way]()
    },
    fill: (label, text) => page.getByLabel(label, { exact: true }).fill(text),
    async choose(label, option) {
      await page.getByLabel(label, { exact: true }).selectOption(option)
    },
  }
}
