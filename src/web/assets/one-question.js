// Shows the questions of a page one at a time: with keys, progress of each question, and an advance after a choice that
// is clicked or tapped. Without this script, the whole page is shown.

const ADVANCE_MS = 350
/** How long a digit waits for a second one, where a scale has 10. */
const DIGITS_MS = 700
/** How long a step waits for the server to say which questions an answer shows. */
const LOOK_MS = 2000
const hasDesk = matchMedia('(hover: hover) and (pointer: fine) and (min-width: 40rem)')
const VISIBLE_FIELDS = 'input:not([type=hidden]), select, textarea'

/** Returns the first field of a question that the browser finds invalid. */
const invalidField = (question) =>
  [...question.querySelectorAll('input, select, textarea')].find((field) => !field.disabled && !field.checkValidity())

/** Returns whether an element asks something. Separators do not; they are shown with the question that follows. */
const asks = (question) => question.querySelector(VISIBLE_FIELDS) !== null

/** Returns the screens: each has one question and the separators before it. */
function screensOf(questions) {
  const screens = []
  let before = []
  for (const question of questions) {
    before.push(question)
    if (!asks(question)) continue
    screens.push(before)
    before = []
  }
  if (before.length > 0) screens.push(before)
  return screens
}

/** Returns whether a choice finishes a question: it has one answer, and its choice needs no text. */
function isFinishedBy(question, field) {
  const fields = [...question.querySelectorAll(VISIBLE_FIELDS)].filter(({ dataset }) => dataset.other === undefined)
  const text = question.querySelector('[data-other]')
  return (
    field.value !== '_none' &&
    fields.every(({ type, name }) => type === 'radio' && name === field.name) &&
    !text?.dataset.other.split(' ').includes(field.value)
  )
}

/** Returns whether a pointer is that of a person. Screen readers click with a pointer that has no size. */
const isReal = ({ width, height, pressure, detail, pointerType }) =>
  pointerType === 'mouse' ? !(width === 1 && height === 1 && pressure === 0 && detail === 0) : width > 0 && height > 0

function showOneAtATime(form) {
  const main = form.closest('main')
  const next = form.querySelector('.actions button[value=next]')
  const all = [...form.querySelectorAll('.question')]
  if (!next || all.length === 0) return
  // Questions that depend on answers are hidden while their condition is false.
  const screens = () => screensOf(all.filter((question) => !question.hidden))
  const asked = all.filter(asks)
  const submitLabel = next.textContent
  const advances = form.dataset.advances !== undefined
  let back = form.querySelector('.actions button[value=back]')
  const hasPageBefore = back !== null
  if (!back) {
    back = document.createElement('button')
    back.type = 'button'
    back.textContent = main.dataset.back
    next.after(back)
  }
  const enter = document.createElement('kbd')
  enter.textContent = 'Enter ↵'
  enter.setAttribute('aria-hidden', 'true')
  next.after(enter)
  const hint = document.createElement('p')
  hint.className = 'hint'
  hint.textContent = main.dataset.tap
  form.querySelector('.actions').before(hint)
  const pageParts = [...form.querySelectorAll('.page-title, .page-title + .description')]
  const header = document.querySelector('.top')
  const introduction = header?.querySelector('.description')
  const bar = main.querySelector('.progress')
  let current = form.querySelector('.question.invalid:not([hidden])') ?? screens()[0]?.at(-1)

  const showProgress = () => {
    if (!bar) return
    const { before, of, text } = bar.dataset
    const answered = Number(before) + Math.max(0, asked.indexOf(current))
    const format = new Intl.NumberFormat(document.documentElement.lang || undefined)
    const numbers = { n: format.format(Math.min(answered + 1, of)), of: format.format(of) }
    bar.hidden = false
    bar.querySelector('label').textContent = text.replace(/\{(\w+)\}/g, (_, name) => numbers[name])
    bar.querySelector('progress').value = Math.round((answered / of) * 100)
  }
  const position = () => screens().findIndex((screen) => screen.includes(current))
  const isLast = () => position() >= screens().length - 1
  const show = (question, focus) => {
    const screen = screens().find((one) => one.includes(question)) ?? screens()[0]
    if (!screen) return
    current = screen.at(-1)
    const isFirst = position() === 0
    for (const each of all) each.toggleAttribute('data-away', !screen.includes(each))
    for (const part of pageParts) part.hidden = !isFirst
    if (introduction) introduction.hidden = !isFirst
    next.textContent = isLast() ? submitLabel : main.dataset.next
    back.hidden = isFirst && !hasPageBefore
    const radio = current.querySelector('[type=radio]')
    hint.hidden = !(radio && isFinishedBy(current, radio) && (advances || !isLast()))
    showProgress()
    if (focus) focusOn(screen)
  }
  const focusOn = ([first]) => {
    const fields = [...current.querySelectorAll(VISIBLE_FIELDS)]
    const [field] = fields
    // On a phone, the keyboard would cover the question.
    const canType = fields.length === 1 && !['radio', 'checkbox', 'file', 'range'].includes(field.type)
    if (hasDesk.matches && canType && first === current) field.focus()
    else first.focus()
    first.scrollIntoView({ block: 'nearest' })
  }
  for (const question of all) question.tabIndex = -1

  let timer
  const step = (distance, event) => {
    clearTimeout(timer)
    const target = screens()[position() + distance]
    if (!target) return
    event.preventDefault()
    show(target.at(-1), true)
  }
  /** Waits until the questions that an answer shows are there. */
  const settle = (looking) => Promise.race([looking, new Promise((resolve) => setTimeout(resolve, LOOK_MS))])
  next.addEventListener('click', (event) => {
    const { looking } = form
    if (looking) {
      event.preventDefault()
      settle(looking).then(() => {
        if (form.looking === looking) form.looking = undefined
        next.click()
      })
      return
    }
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

  /** Goes to the next question after a moment, in which the respondent sees the choice. The end stays a decision. */
  const advance = (field, delay = ADVANCE_MS) => {
    clearTimeout(timer)
    const question = current
    if (field.type !== 'radio' || !isFinishedBy(question, field)) return
    timer = setTimeout(async () => {
      await settle(form.looking)
      if (question === current && field.checked && (advances || !isLast())) next.click()
    }, delay)
  }
  // Arrow keys select each radio button that they pass, and screen readers click without a pointer. Neither advances.
  let pointed = false
  form.addEventListener('pointerdown', (event) => {
    pointed = isReal(event)
  })
  form.addEventListener('click', ({ target }) => {
    if (pointed && target.matches('.question [type=radio]')) advance(target)
  })

  let digits = ''
  let digitsTimer
  /** Selects a choice by its letter or number, or the value of a scale. */
  const choose = (field, delay) => {
    field.focus()
    field.click()
    advance(field, delay)
  }
  const chooseOnScale = (digit) => {
    const scale = [...current.querySelectorAll('.step > input, .star > input')]
    const valued = (value) => scale.find((field) => field.value === value)
    const [two, one] = [valued(digits + digit), valued(digit)]
    const field = two ?? one
    if (!field) return
    digits = two ? digits + digit : digit
    clearTimeout(digitsTimer)
    digitsTimer = setTimeout(() => {
      digits = ''
    }, DIGITS_MS)
    choose(field, scale.some(({ value }) => value !== digits && value.startsWith(digits)) ? DIGITS_MS : ADVANCE_MS)
  }
  // Keys work only while the focus is in the question, so that dictated words choose nothing (WCAG 2.2, 2.1.4).
  form.addEventListener('keydown', (event) => {
    pointed = false
    const { target, key, code, altKey, ctrlKey, metaKey } = event
    if (event.isComposing || event.repeat || altKey) return
    if (key === 'Enter') {
      const isNext = target.matches('textarea')
        ? ctrlKey || metaKey
        : !target.closest('button, a, select, summary, canvas, [type=file]')
      if (!isNext) return
      event.preventDefault()
      next.click()
      return
    }
    const isTyped = target.matches('textarea, select, input:not([type=radio], [type=checkbox])')
    if (isTyped || ctrlKey || metaKey || !current.contains(target)) return
    if (/^\d$/.test(key) && current.querySelector('.step, .star')) return chooseOnScale(key)
    const lists = current.querySelectorAll('.choices')
    const choices = lists.length === 1 ? [...lists[0].querySelectorAll('.choice > input')] : []
    // Keyboards of other scripts name the key by its place.
    const letter = /^[a-z]$/i.test(key) ? key : /^\p{L}$/u.test(key) ? code.replace('Key', '') : ''
    const index = /^[1-9]$/.test(key) ? key - 1 : letter.length === 1 ? letter.toLowerCase().charCodeAt(0) - 97 : -1
    if (choices[index]) choose(choices[index])
  })

  // A link in the error summary can lead to a field of a question that is not shown.
  main.addEventListener('click', ({ target }) => {
    const hash = target.closest?.('a[href^="#"]')?.hash
    const question = hash && document.getElementById(hash.slice(1))?.closest('.question')
    if (question) show(question, false)
  })
  // An answer can make more questions visible.
  new MutationObserver((changes) => {
    if (changes.some(({ target }) => target.matches('.question')))
      show(current.hidden ? screens()[0]?.at(-1) : current, false)
  }).observe(form, {
    subtree: true,
    attributeFilter: ['hidden'],
  })
  main.classList.add('one-question')
  if (hasPageBefore) header?.classList.add('small')
  show(current, hasPageBefore && !document.querySelector('[autofocus]'))
}

for (const form of document.querySelectorAll('main form')) showOneAtATime(form)
