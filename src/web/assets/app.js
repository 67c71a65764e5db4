// Tells the server the time zone of the browser, in which it shows and reads times if the account has no time zone.
const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone
if (browserZone)
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API.
  document.cookie = `time_zone=${browserZone}; path=${new URL('..', import.meta.url).pathname}; max-age=31536000; samesite=lax`

// Screen readers announce a live region when its text changes, not when the page loads.
const flash = document.querySelector('.flash > p')
flash?.replaceChildren(flash.textContent)
