// Shows times in the time zone of the reader. The pages contain them in UTC.
const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })
const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })

function localize() {
  for (const element of document.querySelectorAll('time[datetime]:not([title])')) {
    const at = new Date(element.dateTime)
    if (Number.isNaN(at.getTime())) continue
    element.title = element.textContent
    element.textContent = 'date' in element.dataset ? date.format(at) : `${date.format(at)}, ${time.format(at)}`
  }
}

localize()
// Other scripts replace parts of a page.
const changes = { childList: true, subtree: true, attributes: true, attributeFilter: ['title'] }
new MutationObserver(localize).observe(document.body, changes)

// Screen readers announce a live region when its text changes, not when the page loads.
const flash = document.querySelector('.flash')
flash?.replaceChildren(flash.textContent)
