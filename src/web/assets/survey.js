// Enhances the pages of a survey. Every page works without this script: the server does the same work when a page is
// submitted.

/** The address of this script, which is requested to check the connection. */
const ownAddress = import.meta.url

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (placeholder, name) => values[name] ?? placeholder)

/** Returns the choices of a list by their values. The text field of a choice belongs to the choice before it. */
function choicesIn(list) {
  const choices = new Map()
  for (const element of list.children) {
    const field = element.matches('.other')
      ? null
      : element.matches('option')
        ? element
        : element.querySelector('input')
    if (field) choices.set(field.value, [element])
    else [...choices.values()].at(-1)?.push(element)
  }
  return choices
}

/** Shows the offered choices of a question. A template contains all of them. */
function offerChoices(question, { key, values }) {
  const list = question.querySelector('[data-choices]')
  const [before, all] = [choicesIn(list), choicesIn(question.querySelector('template').content)]
  const isOffered = new Set(values)
  const chosen = list.value
  list.replaceChildren(
    ...(list.options ? [list.options[0]] : []),
    ...[...all].flatMap(([value, elements]) =>
      isOffered.has(value) ? (before.get(value) ?? elements.map((element) => document.importNode(element, true))) : [],
    ),
  )
  if (list.options) {
    list.value = chosen
    if (list.selectedIndex === -1) list.selectedIndex = 0
  }
  const shown = question.querySelector('[name=_offered]')
  shown.value = key + shown.value.slice(shown.value.indexOf(' '))
}

/** Shows and hides questions and choices as the answers change. The server evaluates the conditions, and stores nothing. */
function updateVisibleQuestions(form) {
  const dependent = [...form.querySelectorAll('[data-question]')]
  if (dependent.length === 0) return
  let controller
  const update = async () => {
    controller?.abort()
    controller = new AbortController()
    const body = new URLSearchParams(new FormData(form))
    body.set('_go', 'look')
    try {
      const reply = await fetch(form.action, { method: 'POST', body, signal: controller.signal })
      const { shown, waiting = [], choices = [] } = await reply.json()
      for (const element of dependent) {
        const { question } = element.dataset
        const offer = choices.find((one) => one.question === question)
        if (offer) offerChoices(element, offer)
        element.disabled = !shown.includes(question)
        const first = waiting.find((one) => one.question === question)?.first
        element.hidden = element.disabled && first === undefined
        // Choices that an earlier answer has offered no longer belong to its new answer.
        if (first !== undefined) offerChoices(element, { key: '', values: [] })
        for (const hint of element.querySelectorAll('[data-waiting]')) hint.hidden = hint.dataset.waiting !== first
      }
    } catch {
      // If the request fails, the page does not change. The server shows the right questions when the page is submitted.
    }
  }
  let timer
  const waiting = []
  form.addEventListener('input', () => {
    clearTimeout(timer)
    form.looking = new Promise((resolve) => waiting.push(resolve))
    timer = setTimeout(async () => {
      const answered = waiting.splice(0)
      await update()
      for (const resolve of answered) resolve()
    }, 150)
  })
  // When the respondent returns to the page through the history, browsers restore the entered answers.
  addEventListener('pageshow', update)
}

/** Shows a notice above the buttons of a form. Replaces an earlier notice of the same kind. */
function showNotice(form, kind, text) {
  const notice = form.querySelector(`[data-notice=${kind}]`) ?? document.createElement('p')
  notice.dataset.notice = kind
  notice.className = 'notice'
  notice.setAttribute('role', 'alert')
  notice.textContent = text
  form.querySelector('.actions').before(notice)
  return notice
}

/** After this time on a page, the connection is checked before the page is submitted. */
const CHECKED_AFTER_MS = 60_000
const RETRY_MS = 15_000

/**
 * Without a connection, keeps the page with its answers instead of the error page of the browser, and submits it when
 * the connection is back. Stores nothing on the device, which others may use.
 */
function waitForConnection(form) {
  if (form.dataset.offline === undefined) return
  const openedAt = Date.now()
  let hasFailed = false
  let isChecking = false
  let isReachable = false
  let button
  let timer
  const check = async () => {
    if (isChecking) return
    isChecking = true
    clearTimeout(timer)
    try {
      if (!navigator.onLine) throw new Error('offline')
      await fetch(ownAddress, { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(RETRY_MS) })
      form.querySelector('[data-notice=offline]')?.remove()
      hasFailed = false
      isReachable = true
      form.requestSubmit(button)
    } catch {
      hasFailed = true
      showNotice(form, 'offline', form.dataset.offline)
      timer = setTimeout(check, RETRY_MS)
    }
    isReachable = false
    isChecking = false
  }
  form.addEventListener('submit', (event) => {
    if (isReachable || (navigator.onLine && !hasFailed && Date.now() - openedAt < CHECKED_AFTER_MS)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    button = event.submitter
    check()
  })
  addEventListener('online', () => hasFailed && check())
}

/** Tells a page of a response that another window has sent answers of the same response or invitation. */
function watchOtherWindows(form) {
  const { otherTab, newest } = form.dataset
  if (otherTab === undefined) return
  const code = new URLSearchParams(location.search).get('code')
  const names = [new URL(form.action).pathname, ...(code ? [`${location.pathname}?${code}`] : [])]
  const channel = new BroadcastChannel('canvass-sent')
  channel.addEventListener('message', ({ data }) => {
    if (!names.some((name) => data.includes(name))) return
    const notice = showNotice(form, 'other', `${otherTab} `)
    const link = document.createElement('a')
    link.href = location.href.replace(/#.*/, '')
    link.textContent = newest
    notice.append(link)
  })
  form.addEventListener('submit', (event) => {
    if (!event.defaultPrevented) channel.postMessage(names)
  })
}

/** Prevents submitting a form twice. A page restored from the history may be submitted again. */
function preventDoubleSubmit(form) {
  let isSubmitted = false
  form.addEventListener('submit', (event) => {
    if (isSubmitted) return event.preventDefault()
    isSubmitted = true
    for (const button of form.querySelectorAll('.actions button')) button.setAttribute('aria-disabled', 'true')
  })
  addEventListener('pageshow', () => {
    isSubmitted = false
    for (const button of form.querySelectorAll('.actions button')) button.removeAttribute('aria-disabled')
  })
}

/** Returns whether one of the values is selected in a question. */
const isChosen = (fields, values) =>
  fields.some((field) => values.includes(field.value) && (field.checked || field.tagName === 'SELECT'))

/**
 * When the respondent ticks a choice, unticks the choices that cannot be combined with it. When the respondent types
 * the text of an "other" choice, selects this choice. When the choice is no longer selected, clears the text.
 */
function linkChoices(form) {
  form.addEventListener('change', ({ target }) => {
    if (target.type !== 'checkbox' || !target.checked) return
    const exclusive = 'exclusive' in target.dataset
    for (const box of form.querySelectorAll('input[type=checkbox]'))
      if (box !== target && box.name === target.name && (exclusive || 'exclusive' in box.dataset)) box.checked = false
  })
  form.addEventListener('input', ({ target }) => {
    if (target.dataset.other === undefined || target.value.trim() === '') return
    const name = target.name.slice(0, target.name.lastIndexOf('\\'))
    const fields = [...form.elements].filter((element) => element.name === name)
    const otherValues = target.dataset.other.split(' ')
    if (isChosen(fields, otherValues)) return
    for (const field of fields) {
      if (field.tagName === 'SELECT') field.value = otherValues[0]
      else if (field.value === otherValues[0]) field.checked = true
    }
  })
  form.addEventListener('change', ({ target }) => {
    for (const text of form.querySelectorAll('[data-other]')) {
      if (text.name !== `${target.name}\\other` || text.value === '') continue
      const fields = [...form.elements].filter((element) => element.name === target.name)
      if (!isChosen(fields, text.dataset.other.split(' '))) text.value = ''
    }
  })
}

/** Turns a ranking into a list with buttons that move its items. The selects remain in the form and hold the positions. */
function enhanceRanking(list) {
  // Long rankings have number inputs instead.
  if (!list.querySelector('select')) return
  const { up, down, keep, ranked } = list.dataset
  const items = () => [...list.children]
  const selectOf = (item) => item.querySelector('select')
  const announcement = document.createElement('p')
  announcement.className = 'hidden'
  announcement.setAttribute('role', 'status')
  const keepButton = button(keep, keep)
  const savePositions = () => {
    list.classList.replace('unmoved', 'moved')
    keepButton.hidden = true
    items().forEach((item, index) => {
      selectOf(item).value = String(index + 1)
    })
    list.dispatchEvent(new Event('input', { bubbles: true }))
  }
  const move = (item, step, moveButton) => {
    const to = items().indexOf(item) + step
    if (to < 0 || to >= list.children.length) return
    if (step < 0) items()[to].before(item)
    else items()[to].after(item)
    savePositions()
    moveButton.focus()
    announcement.textContent = fill(ranked, { item: item.dataset.item, n: to + 1, of: list.children.length })
  }
  const isRanked = items().every((item) => selectOf(item).value !== '')
  if (items().some((item) => selectOf(item).value !== '') && !isRanked) return
  if (isRanked) list.append(...items().sort((a, b) => selectOf(a).value - selectOf(b).value))
  list.classList.add(isRanked ? 'moved' : 'unmoved')
  list.parentElement.querySelector('.hint')?.remove()
  for (const item of items()) {
    const values = { item: item.dataset.item }
    const [upButton, downButton] = [button('↑', fill(up, values)), button('↓', fill(down, values))]
    upButton.addEventListener('click', () => move(item, -1, upButton))
    downButton.addEventListener('click', () => move(item, 1, downButton))
    const label = item.querySelector('label')
    const text = document.createElement('span')
    text.className = 'name'
    text.append(...label.childNodes)
    text.querySelector('.hidden')?.remove()
    label.replaceWith(text)
    item.append(upButton, downButton)
  }
  keepButton.hidden = isRanked
  keepButton.className = 'quiet'
  keepButton.addEventListener('click', savePositions)
  list.after(keepButton, announcement)
}

/**
 * Adds a slider to a number field. The field keeps the value, because a slider has a value even if the question is not
 * answered.
 */
function addSlider(container) {
  const field = container.querySelector('input')
  const slider = document.createElement('input')
  slider.type = 'range'
  for (const name of ['min', 'max', 'step']) slider[name] = field[name]
  slider.setAttribute('aria-labelledby', `${field.id}-t`)
  const describedBy = field.getAttribute('aria-describedby')
  if (describedBy) slider.setAttribute('aria-describedby', describedBy)
  const follow = () => {
    const isValid = field.value !== '' && field.validity.valid
    slider.value = isValid ? field.value : (Number(field.min) + Number(field.max)) / 2
    slider.classList.toggle('unset', !isValid)
    // Without a value, assistive technology must not announce the position of the thumb as the answer.
    if (isValid) slider.removeAttribute('aria-valuetext')
    else slider.setAttribute('aria-valuetext', '–')
  }
  const take = () => {
    if (field.value === slider.value) return
    field.value = slider.value
    follow()
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
  slider.addEventListener('input', take)
  // A click on the thumb chooses the value at its position.
  slider.addEventListener('click', take)
  field.addEventListener('input', follow)
  addEventListener('pageshow', follow)
  follow()
  container.prepend(slider)
}

/** Shows how much of a total remains to be distributed. The server decides what the numbers are. */
function addRemainder(container) {
  const { total, decimals, remaining } = container.dataset
  const format = new Intl.NumberFormat(document.documentElement.lang || undefined, { maximumFractionDigits: 10 })
  const digits = new Map([...'0123456789'].map((digit) => [format.format(digit), digit]))
  const numberIn = (value) => {
    const plain = [...value].map((sign) => digits.get(sign) ?? sign).join('')
    // The signs of a whole number separate thousands; otherwise the last one is the decimal sign.
    const [, whole, fraction = ''] = decimals === '0' ? [null, plain] : /^(.*?)(?:[.,٫](\d*))?$/.exec(plain)
    return Number(`${whole.replace(/\D/g, '') || 0}.${fraction}`)
  }
  const output = document.createElement('output')
  output.className = 'hint'
  const follow = () => {
    const sum = [...container.querySelectorAll('input')].reduce((sum, { value }) => sum + numberIn(value), 0)
    output.textContent = remaining.replace('{n}', format.format(Number((total - sum).toFixed(10))))
  }
  container.addEventListener('input', follow)
  addEventListener('pageshow', follow)
  follow()
  container.append(output)
}

function button(text, label) {
  const element = document.createElement('button')
  element.type = 'button'
  element.textContent = text
  if (label !== text) element.setAttribute('aria-label', label)
  return element
}

/** Copies the link with which the respondent continues. Without the clipboard API, selects the link. */
function addCopyButton(copyButton) {
  const link = document.getElementById(copyButton.dataset.copyLink)
  copyButton.hidden = false
  copyButton.addEventListener('click', async () => {
    getSelection().selectAllChildren(link)
    try {
      await navigator.clipboard.writeText(link.textContent)
    } catch {
      if (!document.execCommand('copy')) return
    }
    copyButton.textContent = copyButton.dataset.copied
    copyButton.setAttribute('aria-live', 'polite')
  })
}

for (const copyButton of document.querySelectorAll('[data-copy-link]')) addCopyButton(copyButton)
for (const form of document.querySelectorAll('form')) {
  updateVisibleQuestions(form)
  waitForConnection(form)
  preventDoubleSubmit(form)
  watchOtherWindows(form)
  linkChoices(form)
}
for (const list of document.querySelectorAll('.ranking')) enhanceRanking(list)
for (const container of document.querySelectorAll('[data-slider]')) addSlider(container)
for (const container of document.querySelectorAll('[data-total]')) addRemainder(container)
document.querySelector('[autofocus]')?.focus()

/** Browsers change the number in a focused field if the respondent scrolls the page over it. */
addEventListener(
  'wheel',
  ({ target }) => {
    if (target === document.activeElement && target.type === 'number') target.blur()
  },
  { passive: true },
)
