// Makes photos smaller, uploads files when they are chosen, and shows the progress. Without this script, the browser
// uploads the original files when the page is submitted.

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (placeholder, name) => values[name] ?? placeholder)

/** The number of uploads that have not finished, by form. */
const running = new Map()
/** The forms that are submitted when their uploads have finished, with the pressed button and the notice. */
const waiting = new Map()

/** A longer side of a photo is shortened to this number of pixels: enough to read a page of text in it. */
const SENSIBLE_PIXELS = 2560
/** Further attempts if the smaller photo is still larger than the limit. */
const SMALLER = [1920, 1280, 800]

/**
 * Returns whether the browser draws what it is told to. Browsers that protect against fingerprinting return random
 * pixels, which would destroy the photo.
 */
function drawsFaithfully() {
  const canvas = element('canvas')
  const context = canvas.getContext('2d')
  if (!context) return false
  canvas.width = canvas.height = 16
  context.fillStyle = '#7f3fbf'
  context.fillRect(0, 0, 16, 16)
  const { data } = context.getImageData(0, 0, 16, 16)
  return data.every((value, index) => value === [0x7f, 0x3f, 0xbf, 0xff][index % 4])
}

/**
 * Returns a smaller copy of a photo, turned upright and without its metadata, such as the place where it was taken. A
 * file that is small enough, or that the browser cannot draw, is returned as it is.
 */
async function shrinkPhoto(file, maxBytes) {
  // An original that is not a JPEG file is more likely a drawing or a screenshot, and loses more by the conversion.
  const isPhoto = file.type === 'image/jpeg'
  if (!isPhoto && !(file.size > maxBytes && /^image\/(png|webp|heic|heif|avif|bmp)$/.test(file.type))) return file
  try {
    const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' })
    const longer = Math.max(bitmap.width, bitmap.height)
    if ((file.size <= maxBytes && longer <= SENSIBLE_PIXELS) || !drawsFaithfully()) return file
    for (const pixels of [SENSIBLE_PIXELS, ...SMALLER]) {
      const scale = Math.min(1, pixels / longer)
      const canvas = element('canvas')
      canvas.width = Math.round(bitmap.width * scale)
      canvas.height = Math.round(bitmap.height * scale)
      const context = canvas.getContext('2d')
      context.fillStyle = '#fff'
      context.fillRect(0, 0, canvas.width, canvas.height)
      context.imageSmoothingQuality = 'high'
      context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
      const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.85))
      if (blob && blob.size <= maxBytes && blob.size < file.size)
        return new File([blob], `${file.name.replace(/\.[^.]*$/, '')}.jpg`, { type: 'image/jpeg' })
    }
  } catch {
    // The browser cannot decode the file.
  }
  return file
}

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
    shrinking,
    shrunk,
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

  /** Uploads a file. @returns whether the file is stored or was removed by the respondent */
  const send = (file, isShrunk) =>
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
        resolve(isDiscarded || finish(file, isShrunk, request.status === 200 ? request.response : undefined))
      })
      request.open('POST', form.action)
      request.send(body)
    })
  const reject = (text) => {
    say(text, true)
    return false
  }
  const finish = (file, isShrunk, reply) => {
    const [stored] = reply?.files ?? []
    if (!stored) return reject(reply?.errors?.[0] ?? failed)
    if (maxFiles === '1') list.replaceChildren()
    addFile(stored.key, stored.name, stored.size)
    say([uploaded, ...(isShrunk ? [shrunk] : [])].map((text) => fill(text, { name: file.name })).join(' '))
    container.closest('.question').querySelector('p.error:not(.upload-status)')?.remove()
    changed()
    return true
  }
  /** Checks, shrinks and uploads a chosen file. @returns false if the file was rejected or the upload failed */
  const add = async (original) => {
    if (maxFiles !== '1' && keys().length >= maxFiles) return reject(fill(tooMany, { max: maxFiles }))
    if (shrinking !== undefined) say(fill(shrinking, { name: original.name }))
    const file = shrinking === undefined ? original : await shrinkPhoto(original, maxSize * 1e6)
    if (file.size > maxSize * 1e6) return reject(fill(tooLarge, { name: file.name, max: maxSize }))
    return send(file, file !== original)
  }

  input.addEventListener('change', async () => {
    const files = [...input.files]
    // Empties the field, so that submitting the page does not send the files a second time.
    input.value = ''
    input.required = false
    running.set(form, (running.get(form) ?? 0) + 1)
    let accepted = true
    for (const file of files) accepted = (await add(file)) && accepted
    running.set(form, running.get(form) - 1)
    input.required = isRequired && keys().length === 0
    if (!accepted) stopWaiting(form, status)
    else if (running.get(form) === 0) submitNow(form)
  })
}

/** Submits a form whose respondent has pressed a button during an upload. */
function submitNow(form) {
  const { button, notice } = waiting.get(form) ?? {}
  if (!waiting.delete(form)) return
  notice.remove()
  form.requestSubmit(button)
}

/** Shows the error of an upload instead of submitting the form. */
function stopWaiting(form, status) {
  const { notice } = waiting.get(form) ?? {}
  if (!waiting.delete(form)) return
  notice.remove()
  status.scrollIntoView({ block: 'center' })
}

addEventListener(
  'submit',
  (event) => {
    const { target: form, submitter } = event
    if (!running.get(form)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    const notice = waiting.get(form)?.notice ?? element('p', 'notice')
    notice.setAttribute('role', 'status')
    form.querySelector('.actions').before(notice)
    notice.textContent = form.querySelector('[data-upload]').dataset.running
    waiting.set(form, { button: submitter, notice })
  },
  true,
)

for (const container of document.querySelectorAll('[data-upload]')) enhanceUpload(container)
