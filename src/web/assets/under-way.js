// Parts of a page about something that is under way (`data-under-way`) are brought up to date until it is over.
const PAUSE = 2000
/** After so many looks somebody has gone; loading the page again starts anew. */
let looks = 900

const parts = () => [...document.querySelectorAll('[data-under-way]')]
const isBusy = (part) => part.contains(document.activeElement) || part.querySelector('details[open]')

async function look() {
  looks -= 1
  if (!document.hidden) {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
    if (!answer.ok || answer.redirected) return
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
    for (const part of parts()) {
      const now = fresh.getElementById(part.id)
      // Who has the keyboard in it would lose their place.
      if (now && !isBusy(part) && now.outerHTML !== part.outerHTML) part.replaceWith(now)
    }
  }
  if (parts().length > 0 && looks > 0) setTimeout(() => look().catch(() => undefined), PAUSE)
}

if (parts().length > 0) setTimeout(() => look().catch(() => undefined), PAUSE)
