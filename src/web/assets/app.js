// Shows times in the time zone of the reader. The pages contain them in UTC.
const locale = document.documentElement.lang === 'en' ? 'en-GB' : document.documentElement.lang
const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })

function localize() {
  for (const element of document.querySelectorAll('time[datetime]:not([title]):not([data-zone])')) {
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
const flash = document.querySelector('.flash > p')
flash?.replaceChildren(flash.textContent)

// Shows the local time below fields with a time in UTC.
for (const field of document.querySelectorAll('input[type="datetime-local"][name$="_at"]')) {
  const hint = document.createElement('p')
  hint.className = 'hint'
  const show = () => {
    const at = new Date(`${field.value}Z`)
    hint.textContent = Number.isNaN(at.getTime())
      ? ''
      : pageText('In your time zone: {time}', { time: `${date.format(at)}, ${time.format(at)}` })
  }
  field.after(hint)
  field.addEventListener('input', show)
  show()
}
