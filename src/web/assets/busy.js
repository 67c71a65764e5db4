// A form that takes its time says so once it is sent.
for (const form of document.querySelectorAll('form[data-busy]'))
  form.addEventListener('submit', (event) => {
    const button = event.submitter
    if (!button || button.getAttribute('aria-disabled')) return event.preventDefault()
    button.setAttribute('aria-disabled', 'true')
    button.textContent = form.dataset.busy
    const bar = document.createElement('progress')
    bar.setAttribute('aria-label', form.dataset.busy)
    form.append(bar)
  })

// Coming back by the browser's button shows the page as it was left.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})
