// Buttons that copy a text of the page. Without scripts they stay hidden, and the text can be marked by hand.

/** Browsers offer the clipboard to pages over https and on this machine only; elsewhere the text is marked and copied. */
async function copy(source) {
  const text = source.value ?? source.textContent
  const written = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )
  if (written) return
  const range = document.createRange()
  if (source.select) source.select()
  else {
    range.selectNodeContents(source)
    getSelection().removeAllRanges()
    getSelection().addRange(range)
  }
  if (!document.execCommand('copy')) throw new Error('not copied')
}

const told = document.createElement('p')
told.className = 'hidden'
told.setAttribute('role', 'status')
document.querySelector('main')?.append(told)

for (const button of document.querySelectorAll('button[data-copy]')) {
  const label = button.textContent
  button.hidden = false
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy)
    const done = await copy(source).then(
      () => 'Copied',
      () => 'Select the text and copy it',
    )
    button.textContent = done
    told.textContent = done
    setTimeout(() => {
      button.textContent = label
    }, 2000)
  })
}
