// Shows progress after a slow form is submitted.
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

// A page restored by the Back button is reloaded without the progress.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})
