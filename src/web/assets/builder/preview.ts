import { pageText } from '../page-text.ts'

/** Milliseconds without a change until the preview is loaded again. */
const REFRESH_DELAY_MS = 400

const WIDTHS = [
  ['phone', pageText('Phone')],
  ['desk', pageText('Desktop')],
] as const

let shownPage = 1
let timer: ReturnType<typeof setTimeout> | undefined

/**
 * Loads the preview again. The new frame replaces the shown one when it is ready, so that nothing flickers.
 * @param page number of the page to show; absent: the same one
 */
export function refreshPreview(page = shownPage): void {
  shownPage = page
  clearTimeout(timer)
  timer = setTimeout(loadWhenIdle, REFRESH_DELAY_MS)
}

let lastKeyAt = 0
addEventListener('keydown', () => (lastKeyAt = performance.now()), { capture: true, passive: true })

/** Loads the preview when the author does not type, because it runs in the same thread. */
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
    // The preview could not be loaded; the shown one stays.
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
