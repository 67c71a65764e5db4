import { pageText } from '../page-text.ts'

/** The preview is reloaded this many milliseconds after the last change. */
const REFRESH_DELAY_MS = 400

const WIDTHS = [
  ['phone', pageText('Phone')],
  ['desk', pageText('Desktop')],
] as const

let shownPage = 1
let timer: ReturnType<typeof setTimeout> | undefined

/**
 * Reloads the preview in a second frame. When the second frame is ready, it replaces the visible frame, so that the
 * preview does not flicker.
 * @param page the number of the page to show; by default, the page that is shown already
 */
export function refreshPreview(page = shownPage): void {
  shownPage = page
  clearTimeout(timer)
  timer = setTimeout(loadWhenIdle, REFRESH_DELAY_MS)
}

let lastKeyAt = 0
addEventListener('keydown', () => (lastKeyAt = performance.now()), { capture: true, passive: true })

/**
 * Loads the preview while the author is not typing. The preview runs in the same thread as this page, so loading it
 * while the author types would delay the typed text.
 */
function loadWhenIdle(): void {
  const wait = lastKeyAt + REFRESH_DELAY_MS - performance.now()
  if (wait > 0) timer = setTimeout(loadWhenIdle, wait)
  else load()
}

function load(): void {
  const shown = document.querySelector<HTMLIFrameElement>('.preview iframe:not(.loading)')
  if (!shown || shown.offsetParent === null) return
  for (const older of document.querySelectorAll('.preview iframe.loading')) older.remove()
  const frame = document.createElement('iframe')
  frame.title = shown.title
  frame.className = 'loading'
  frame.tabIndex = -1
  frame.src = `${new URL(shown.src).pathname}?page=${shownPage}`
  frame.addEventListener('load', () => {
    if (!frame.isConnected) return
    // The preview could not be loaded, so the visible frame stays.
    if (!frame.contentDocument) {
      frame.remove()
      return
    }
    const scrolled = shown.contentWindow?.scrollY ?? 0
    frame.className = ''
    frame.removeAttribute('tabindex')
    shown.remove()
    frame.contentWindow?.scrollTo(0, scrolled)
  })
  shown.after(frame)
}

/** Adds buttons that show the preview at the width of a phone or of a desktop. */
export function addWidthButtons(): void {
  const section = document.querySelector<HTMLElement>('.preview')
  const heading = section?.querySelector('h2')
  if (!section || !heading) return
  const group = document.createElement('div')
  group.className = 'widths'
  group.setAttribute('role', 'group')
  group.setAttribute('aria-label', pageText('Width of the preview'))
  for (const [name, label] of WIDTHS) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'quiet small'
    button.textContent = label
    button.addEventListener('click', () => select(name))
    button.dataset.width = name
    group.append(button)
  }
  const select = (name: string) => {
    section.dataset.width = name
    for (const button of group.querySelectorAll('button'))
      button.setAttribute('aria-pressed', String(button.dataset.width === name))
  }
  heading.after(group)
  select('phone')
}
