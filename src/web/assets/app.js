// Tells the server the time zone of the browser, in which it shows and reads times if the account has no time zone.
const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone
if (browserZone)
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API.
  document.cookie = `time_zone=${browserZone}; path=${new URL('..', import.meta.url).pathname}; max-age=31536000; samesite=lax`

// Screen readers announce a live region when its text changes, not when the page loads.
const flash = document.querySelector('.flash > p')
flash?.replaceChildren(flash.textContent)

// An open menu closes when the user clicks another part of the page or presses Escape.
document.addEventListener('click', ({ target }) => {
  for (const menu of document.querySelectorAll('details.more[open]')) if (!menu.contains(target)) menu.open = false
})
document.addEventListener('keydown', ({ key, target }) => {
  const menu = target.closest('details.more[open]')
  if (key !== 'Escape' || !menu) return
  menu.open = false
  menu.querySelector('summary').focus()
})

// If the session has ended while a form was filled in, the sign-in leads back to the page, which shows what was typed.
// The text is kept for this tab and this account, and removed when the next page is shown that is not a sign-in.
const KEPT = 'canvass-form'
const KEPT_MS = 3_600_000
const SKIPPED = new Set(['hidden', 'password', 'file', 'submit', 'button', 'reset', 'image'])
const main = document.querySelector('main')
const pathOfPage = location.pathname + location.search

/** Returns the fields of a form whose values are kept. */
const fieldsOf = (form) =>
  [...form.elements].filter(({ name, type }) => name && !SKIPPED.has(type) && type !== 'fieldset')

/** Returns the value of a field as it is kept. */
const keptValue = (field) =>
  field.type === 'checkbox' || field.type === 'radio'
    ? field.checked
    : field.options
      ? [...field.options].filter(({ selected }) => selected).map(({ value }) => value)
      : field.value

function setValue(field, value) {
  if (field.type === 'checkbox' || field.type === 'radio') field.checked = value
  else if (field.options) for (const option of field.options) option.selected = value.includes(option.value)
  else field.value = value
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

function restore({ account, path, at, index, values }) {
  const form = [...main.querySelectorAll('form')][index]
  const fields = form ? fieldsOf(form) : []
  const isSame = account === main.dataset.account && path === pathOfPage && Date.now() - at < KEPT_MS
  // Another version of the page can have other fields.
  if (!isSame || !document.referrer.includes('/accounts/') || fields.length !== values.length) return
  for (const [index, field] of fields.entries()) if (field.name === values[index][0]) setValue(field, values[index][1])
  for (const details of form.querySelectorAll('details')) details.open = true
  const notice = document.createElement('p')
  notice.className = 'alert'
  notice.setAttribute('role', 'status')
  form.before(notice)
  notice.textContent = pageText('Your session had ended. The form shows what you entered. It has not been saved yet.')
}

if (main?.dataset.account) {
  try {
    const kept = sessionStorage.getItem(KEPT)
    sessionStorage.removeItem(KEPT)
    if (kept) restore(JSON.parse(kept))
  } catch {
    // Browsers can forbid the storage.
  }
  document.addEventListener('submit', ({ target: form, defaultPrevented }) => {
    if (defaultPrevented || form.method !== 'post' || !main.contains(form)) return
    const values = fieldsOf(form).map((field) => [field.name, keptValue(field)])
    const index = [...main.querySelectorAll('form')].indexOf(form)
    try {
      const { account } = main.dataset
      sessionStorage.setItem(KEPT, JSON.stringify({ account, path: pathOfPage, at: Date.now(), index, values }))
    } catch {
      // The text is too long, or the browser forbids the storage.
    }
  })
}
