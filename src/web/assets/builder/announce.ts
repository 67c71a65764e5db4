const region = document.createElement('p')
region.className = 'toast'
region.setAttribute('role', 'status')

/** Milliseconds that a message stays visible. */
const VISIBLE_MS = 6_000

let timer: ReturnType<typeof setTimeout> | undefined

/** Adds the live region. It must exist before its first message. */
export function addLiveRegion(): void {
  document.body.append(region)
}

/** Shows a message, and lets screen readers read it. */
export function announce(message: string): void {
  region.textContent = message
  clearTimeout(timer)
  timer = setTimeout(() => region.replaceChildren(), VISIBLE_MS)
}
