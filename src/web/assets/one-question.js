// Shows the questions of a page one at a time. Without this script, the whole page is shown.

/** Returns the first field of a question that the browser finds invalid. */
const invalidField = (question) =>
  [...question.querySelectorAll('input, select, textarea')].find((field) => !field.disabled && !field.checkValidity())

function showOneAtATime(form) {
  const main = form.closest('main')
  const next = form.querySelector('.actions button[value=next]')
  // Questions that depend on answers are hidden while their condition is false.
  const questions = () => [...form.querySelectorAll('.question')].filter((question) => !question.hidden)
  if (!next || form.querySelectorAll('.question').length < 2) return
  const submitLabel = next.textContent
  let back = form.querySelector('.actions button[value=back]')
  const hasPageBefore = back !== null
  if (!back) {
    back = document.createElement('button')
    back.type = 'button'
    back.textContent = main.dataset.back
    next.after(back)
  }
  const pageParts = [...form.querySelectorAll('.page-title, .page-title + .description')]
  let current = form.querySelector('.question.invalid:not([hidden])') ?? questions()[0]

  const show = (question, focus) => {
    current = question
    const shown = questions()
    const index = shown.indexOf(question)
    for (const each of form.querySelectorAll('.question')) each.toggleAttribute('data-away', each !== question)
    for (const part of pageParts) part.hidden = index > 0
    next.textContent = index < shown.length - 1 ? main.dataset.next : submitLabel
    back.hidden = index === 0 && !hasPageBefore
    if (!focus) return
    question.tabIndex = -1
    question.focus()
    question.scrollIntoView({ block: 'nearest' })
  }
  const step = (distance, event) => {
    const shown = questions()
    const target = shown[shown.indexOf(current) + distance]
    if (!target) return
    event.preventDefault()
    show(target, true)
  }
  next.addEventListener('click', (event) => {
    const field = invalidField(current)
    if (!field) return step(1, event)
    event.preventDefault()
    // The browser's own message is in the language of the browser, not in the language of the survey.
    if (field.validity.valueMissing) field.setCustomValidity(main.dataset.required)
    field.reportValidity()
  })
  form.addEventListener('input', () => {
    for (const field of form.elements) field.setCustomValidity('')
  })
  back.addEventListener('click', (event) => step(-1, event))
  // A link in the error summary can lead to a field of a question that is not shown.
  main.addEventListener('click', ({ target }) => {
    const hash = target.closest?.('a[href^="#"]')?.hash
    const question = hash && document.getElementById(hash.slice(1))?.closest('.question')
    if (question) show(question, false)
  })
  // An answer can make more questions visible.
  new MutationObserver((changes) => {
    if (changes.some(({ target }) => target.matches('.question')))
      show(current.hidden ? questions()[0] : current, false)
  }).observe(form, {
    subtree: true,
    attributeFilter: ['hidden'],
  })
  main.classList.add('one-question')
  show(current, false)
}

for (const form of document.querySelectorAll('main form')) showOneAtATime(form)
