// Enhances the form of a theme: colour pickers, the sample of the colours while one is chosen, and the preview. The form
// works without this script.

const DELAY_MS = 300
const COLOR = /^#[0-9a-f]{6}$/i
const STYLE_FIELDS = ['accent_color', 'background_color', 'font', 'corners', 'layout']

/** Adds a colour picker beside a field. The field accepts a pasted colour, and may be blank. */
function addPicker(field) {
  const picker = document.createElement('input')
  picker.type = 'color'
  picker.className = 'picker'
  picker.setAttribute('aria-label', pageText('Choose: {field}', { field: field.labels[0].textContent }))
  const row = document.createElement('div')
  row.className = 'color-field'
  field.replaceWith(row)
  row.append(picker, field)
  const follow = () => {
    picker.value = COLOR.test(field.value) ? field.value : field.placeholder
  }
  picker.addEventListener('input', () => {
    field.value = picker.value
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })
  field.addEventListener('input', follow)
  follow()
}

function enhance(form) {
  for (const field of form.querySelectorAll('[data-color]')) addPicker(field)
  const hint = form.querySelector('[data-contrast]')
  const preview = document.querySelector('[data-preview]')
  const style = () => {
    const query = new URLSearchParams(STYLE_FIELDS.map((name) => [name, form.elements[name].value.trim()]))
    if (form.elements['font_file.remove']?.checked === false) query.set('own_font', 'on')
    return query
  }
  const update = async () => {
    const query = style()
    if (preview) preview.src = `${preview.dataset.preview}?${query}`
    const reply = await fetch(`${form.dataset.theme}?${query}`).catch(() => undefined)
    if (!reply?.ok) return
    const { text, palettes = {} } = await reply.json()
    hint.textContent = text
    for (const [scheme, palette] of Object.entries(palettes))
      for (const part of form.querySelectorAll(`[data-scheme=${scheme}] [data-fill]`)) {
        part.setAttribute('fill', palette[part.dataset.fill])
        if (part.dataset.stroke) part.setAttribute('stroke', palette[part.dataset.stroke])
      }
  }
  let timer
  form.addEventListener('input', ({ target }) => {
    if (!STYLE_FIELDS.includes(target.name)) return
    clearTimeout(timer)
    timer = setTimeout(update, DELAY_MS)
  })
}

for (const form of document.querySelectorAll('[data-theme]')) enhance(form)
