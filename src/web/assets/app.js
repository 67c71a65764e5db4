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
