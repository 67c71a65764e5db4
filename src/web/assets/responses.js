// Keeps the line about new responses true while the page is looked at, and chooses all of a page. Without it the line
// is a link that looks.

const EVERY = 4_000
/** After a failure the next look waits longer, up to this. */
const LONGEST = 60_000

const line = document.querySelector('[data-live]')
let pause = EVERY
let waiting

async function look() {
  try {
    const answer = await fetch(line.dataset.live)
    if (!answer.ok) throw new Error(String(answer.status))
    const { count, text } = await answer.json()
    const link = line.querySelector('a')
    // The same words are not put again: they would be read out again.
    if (count > 0 && link.textContent !== text) link.textContent = text
    line.toggleAttribute('data-news', count > 0)
    pause = EVERY
  } catch {
    pause = Math.min(pause * 2, LONGEST)
  }
  wait()
}

function wait() {
  clearTimeout(waiting)
  if (!document.hidden) waiting = setTimeout(look, pause)
}

/** Chooses every response of the page, or none when all are chosen. */
function chooseAll(button) {
  const boxes = [...button.form.querySelectorAll('input[name=id]')]
  const isAll = () => boxes.every((box) => box.checked)
  const show = () => {
    button.textContent = isAll() ? 'Select none' : 'Select all on this page'
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

for (const button of document.querySelectorAll('[data-choose]')) chooseAll(button)

if (line) {
  document.addEventListener('visibilitychange', wait)
  wait()
}
