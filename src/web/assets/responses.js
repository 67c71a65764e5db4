// Updates the number of new responses while the page is visible, and selects all responses of a page. Without scripts, a
// link reloads the page.

const POLL_INTERVAL_MS = 4_000
/** The maximum interval: each failed request doubles the interval. */
const MAX_POLL_INTERVAL_MS = 60_000

const line = document.querySelector('[data-live]')
let interval = POLL_INTERVAL_MS
let timer

async function poll() {
  try {
    const reply = await fetch(line.dataset.live)
    if (!reply.ok) throw new Error(String(reply.status))
    const { count, text } = await reply.json()
    const link = line.querySelector('a')
    // An unchanged text is not set again: screen readers would announce it again.
    if (count > 0 && link.textContent !== text) link.textContent = text
    line.toggleAttribute('data-news', count > 0)
    interval = POLL_INTERVAL_MS
  } catch {
    interval = Math.min(interval * 2, MAX_POLL_INTERVAL_MS)
  }
  wait()
}

function wait() {
  clearTimeout(timer)
  if (!document.hidden) timer = setTimeout(poll, interval)
}

/** Shows the button and makes it select every response of the page, or none if all are selected. */
function enableSelectAll(button) {
  const boxes = [...button.form.querySelectorAll('input[name=id]')]
  const isAll = () => boxes.every((box) => box.checked)
  const show = () => {
    button.textContent = isAll() ? pageText('Select none') : pageText('Select all on this page')
  }
  button.hidden = false
  button.addEventListener('click', () => {
    const all = isAll()
    for (const box of boxes) box.checked = !all
    show()
  })
  button.form.addEventListener('change', show)
  addEventListener('pageshow', show)
}

for (const button of document.querySelectorAll('[data-choose]')) enableSelectAll(button)

if (line) {
  document.addEventListener('visibilitychange', wait)
  wait()
}
