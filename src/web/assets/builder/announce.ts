const region = document.createElement('p')
region.className = 'toast'
region.setAttribute('role', 'status')

/** Milliseconds that a message stays visible. */
const VISIBLE_MS = 6_000

let timer: ReturnType<typeof setTimeout> | undefined

/**
 * Adds the ARIA live region for messages. Screen readers announce a message only if the region exists before the
 * message is added.
 */
export function addLiveRegion(): void {
  document.body.append(region)
}

/** Shows a message, which screen readers also announce. */
export function announce(message: string): void {
  region.textContent = message
  clearTimeout(timer)
  timer = setTimeout(() => region.replaceChildren(), VISIBLE_MS)
}
