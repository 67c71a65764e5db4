// Codes answers by keyboard, and without loading the page again. The keys work only while an answer has the focus. Without
// scripts, each button submits the form of its answer.

const list = document.querySelector('[data-coding]')
const items = list ? [...list.querySelectorAll('[data-answer]')] : []
/** The changes that can be undone, the last one at the end. */
const changes = []

const buttonsOf = (item) => [...item.querySelectorAll('button.code')]
const isPressed = (button) => button.getAttribute('aria-pressed') === 'true'
const isNone = (button) => button.name === 'none'

/** Returns what is chosen for an answer: IDs of categories, and `none`. */
const chosenIn = (item) =>
  new Set(
    buttonsOf(item)
      .filter(isPressed)
      .map((button) => (isNone(button) ? 'none' : button.value)),
  )

function show(item, chosen) {
  for (const button of buttonsOf(item)) {
    const pressed = chosen.has(isNone(button) ? 'none' : button.value)
    button.setAttribute('aria-pressed', String(pressed))
    if (isNone(button)) button.value = pressed ? '0' : '1'
    else button.name = pressed ? 'remove' : 'add'
  }
}

/** Sends the difference between two states of an answer. Shows the new state at once, and the old one again if it fails. */
async function change(item, before, after) {
  const form = item.querySelector('form')
  const fields = new URLSearchParams(new FormData(form))
  fields.set('quiet', '1')
  if (after.has('none')) fields.set('none', '1')
  else {
    if (before.has('none')) fields.set('none', '0')
    fields.set('add', [...after].filter((id) => !before.has(id)).join(' '))
    fields.set('remove', [...before].filter((id) => id !== 'none' && !after.has(id)).join(' '))
  }
  show(item, after)
  try {
    const reply = await fetch(form.action, { method: 'POST', body: fields, redirect: 'manual' })
    if (reply.type !== 'opaqueredirect') throw new Error(String(reply.status))
  } catch {
    show(item, before)
    // The page says what is wrong, for example that the session has ended.
    location.reload()
  }
}

function toggle(item, button) {
  const before = chosenIn(item)
  const name = isNone(button) ? 'none' : button.value
  const after = new Set(before)
  if (after.has(name)) after.delete(name)
  else if (name === 'none') {
    after.clear()
    after.add(name)
  } else {
    after.delete('none')
    after.add(name)
  }
  changes.push({ item, before, after })
  return change(item, before, after)
}

function undo() {
  const last = changes.pop()
  if (!last) return
  last.item.focus()
  change(last.item, last.after, last.before)
}

function move(item, step) {
  const next = items[items.indexOf(item) + step]
  if (!next) return
  next.focus()
  next.scrollIntoView({ block: 'nearest' })
}

if (list) {
  for (const item of items) item.tabIndex = 0
  list.addEventListener('click', (event) => {
    const button = event.target.closest('button.code')
    if (!button) return
    event.preventDefault()
    toggle(button.closest('[data-answer]'), button)
  })
  list.addEventListener('keydown', (event) => {
    const item = event.target.closest('[data-answer]')
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return
    const key = event.key.toLowerCase()
    const button = item.querySelector(`button.code[data-key="${CSS.escape(key)}"]`)
    if (key === 'j') move(item, 1)
    else if (key === 'k') move(item, -1)
    else if (key === 'u') undo()
    else if (key === 'x') item.querySelector('input[name=answer][type=checkbox]')?.click()
    else if (button) toggle(item, button)
    else return
    event.preventDefault()
  })
}
