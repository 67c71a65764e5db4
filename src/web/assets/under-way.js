// Updates the parts of a page marked `data-under-way` until none is left.
const POLL_INTERVAL_MS = 2000
/** Polling stops after this many requests, until the page is reloaded. */
let remainingPolls = 900

const parts = () => [...document.querySelectorAll('[data-under-way]')]
/**
 * The latest markup that the server sent for each part, by ID. The markup on the page can differ from it, because other
 * scripts change the parts.
 */
const received = new Map()
const isBusy = (part) => part.contains(document.activeElement) || part.querySelector('details[open]')

async function poll() {
  remainingPolls -= 1
  if (!document.hidden) {
    const reply = await fetch(location.href, { headers: { accept: 'text/html' } })
    if (!reply.ok || reply.redirected) return
    const fresh = new DOMParser().parseFromString(await reply.text(), 'text/html')
    for (const part of parts()) {
      const update = fresh.getElementById(part.id)
      // Replacing a part would lose its keyboard focus or close its details.
      if (!update || isBusy(part) || update.outerHTML === (received.get(part.id) ?? part.outerHTML)) continue
      received.set(part.id, update.outerHTML)
      part.replaceWith(update)
    }
  }
  if (parts().length > 0 && remainingPolls > 0) setTimeout(() => poll().catch(() => undefined), POLL_INTERVAL_MS)
}

if (parts().length > 0) setTimeout(() => poll().catch(() => undefined), POLL_INTERVAL_MS)
