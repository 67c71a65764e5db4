/** Makes the buttons of the placeholder menu insert a placeholder at the cursor of a text field, without a request. */
export function enhancePlaceholders(form: HTMLFormElement): void {
  form.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>('.placeholders button[name=do]')
    const name = form.querySelector<HTMLSelectElement>('[name=placeholder]')?.value
    const text = form.querySelector<HTMLTextAreaElement>(`[name=${button?.value.replace('insert.', '')}]`)
    if (!button || !name || !text) return
    event.preventDefault()
    const { selectionStart: start, selectionEnd: end } = text
    const space = start > 0 && !/\s$/.test(text.value.slice(0, start)) ? ' ' : ''
    text.setRangeText(`${space}{{ ${name} }}`, start, end, 'end')
    text.dispatchEvent(new Event('input', { bubbles: true }))
    text.focus()
  })
}
