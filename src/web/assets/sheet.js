// The entry of a paper sheet: Enter goes to the next field, and at the last one stores the sheet.
const form = document.querySelector('form.paper-entry')
const fields = [...(form?.querySelectorAll('input.box, textarea.box') ?? [])]

form?.addEventListener('keydown', (event) => {
  const position = fields.indexOf(event.target)
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing || position < 0) return
  event.preventDefault()
  const next = fields[position + 1]
  if (!next) return form.requestSubmit()
  next.focus()
  next.select?.()
})
