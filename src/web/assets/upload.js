// Uploads files when they are chosen, and shows the progress. Without this script, the browser uploads the files when
// the page is submitted.

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (placeholder, name) => values[name] ?? placeholder)

/** The number of uploads that have not finished, by form. */
const running = new Map()

function element(name, className, text = '') {
  const created = document.createElement(name)
  if (className) created.className = className
  created.textContent = text
  return created
}

function enhanceUpload(container) {
  const {
    upload: name,
    maxFiles,
    maxSize,
    tooLarge,
    tooMany,
    remove,
    uploading,
    uploaded,
    removed,
    failed,
  } = container.dataset
  const input = container.querySelector('input[type=file]')
  const list = container.querySelector('.files')
  const isRequired = input.closest('.question').querySelector('.required') !== null
  const { form } = input
  const status = element('p', 'upload-status')
  status.setAttribute('role', 'status')
  input.after(status)
  container.querySelector('.untick')?.remove()

  const say = (text, isError = false) => {
    status.classList.toggle('error', isError)
    status.textContent = text
  }
  const keys = () => [...list.querySelectorAll('input')].map(({ value }) => value)
  const changed = () => {
    input.required = isRequired && keys().length === 0
    container.dispatchEvent(new Event('input', { bubbles: true }))
  }

  /** Adds an item to the list. @param discard called when the respondent removes it */
  const addItem = (file, discard) => {
    const item = element('li', 'file')
    const label = element('bdi', 'file-name', file)
    const button = element('button', 'quiet', '×')
    button.type = 'button'
    button.setAttribute('aria-label', fill(remove, { name: file }))
    button.addEventListener('click', () => {
      item.remove()
      discard()
      say(fill(removed, { name: file }))
      changed()
      input.focus()
    })
    item.append(label, button)
    list.append(item)
    return item
  }
  const addFile = (key, file, size) => {
    const item = addItem(file, () => {})
    const hidden = element('input')
    Object.assign(hidden, { type: 'hidden', name, value: key })
    item.firstChild.after(element('span', 'size', size), hidden)
  }
  for (const box of list.querySelectorAll('.choice')) {
    const [field, file, size] = ['input', '.file-name', '.size'].map((selector) => box.querySelector(selector))
    box.remove()
    addFile(field.value, file.textContent, size.textContent)
  }

  const send = (file) =>
    new Promise((resolve) => {
      const body = new FormData()
      for (const field of ['_key', '_page']) body.set(field, form.elements[field].value)
      const shown = input.closest('.question').querySelector('[name=_shown]')
      if (shown) body.set('_shown', shown.value)
      body.set('_go', 'upload')
      for (const key of keys()) body.append(name, key)
      body.set(input.name, file)
      const request = new XMLHttpRequest()
      let isDiscarded = false
      const item = addItem(file.name, () => {
        isDiscarded = true
        request.abort()
      })
      const progress = element('progress')
      progress.max = 1
      progress.value = 0
      progress.setAttribute('aria-label', file.name)
      item.firstChild.after(progress)
      request.upload.addEventListener('progress', ({ loaded, total }) => {
        progress.value = loaded / total
        if (!isDiscarded) say(fill(uploading, { name: file.name, percent: Math.floor((100 * loaded) / total) }))
      })
      request.responseType = 'json'
      request.addEventListener('loadend', () => {
        item.remove()
        if (!isDiscarded) finish(file, request.status === 200 ? request.response : undefined)
        resolve()
      })
      request.open('POST', form.action)
      request.send(body)
    })
  const finish = (file, reply) => {
    const [stored] = reply?.files ?? []
    if (!stored) return say(reply?.errors?.[0] ?? failed, true)
    if (maxFiles === '1') list.replaceChildren()
    addFile(stored.key, stored.name, stored.size)
    say(fill(uploaded, { name: file.name }))
    container.closest('.question').querySelector('p.error:not(.upload-status)')?.remove()
    changed()
  }

  input.addEventListener('change', async () => {
    const files = [...input.files]
    // Empties the field, so that submitting the page does not send the files a second time.
    input.value = ''
    input.required = false
    running.set(form, (running.get(form) ?? 0) + 1)
    for (const file of files) {
      if (file.size > maxSize * 1e6) say(fill(tooLarge, { name: file.name, max: maxSize }), true)
      else if (maxFiles !== '1' && keys().length >= maxFiles) say(fill(tooMany, { max: maxFiles }), true)
      else await send(file)
    }
    running.set(form, running.get(form) - 1)
    input.required = isRequired && keys().length === 0
  })
  addEventListener(
    'submit',
    (event) => {
      if (event.target !== form || !running.get(form)) return
      event.preventDefault()
      event.stopImmediatePropagation()
      say(container.dataset.running, true)
    },
    true,
  )
}

for (const container of document.querySelectorAll('[data-upload]')) enhanceUpload(container)
