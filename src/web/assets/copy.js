// Buttons that copy a text of the page. They stay hidden without scripts.

/**
 * Copies a text. The clipboard API needs https or localhost. On other pages, the script selects the text and runs the
 * copy command of the browser.
 */
async function copy(source) {
  const text = source.value ?? source.textContent
  const isWritten = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )
  if (isWritten) return
  const range = document.createRange()
  if (source.select) source.select()
  else {
    range.selectNodeContents(source)
    getSelection().removeAllRanges()
    getSelection().addRange(range)
  }
  if (!document.execCommand('copy')) throw new Error('not copied')
}

const status = document.createElement('p')
status.className = 'hidden'
status.setAttribute('role', 'status')
document.querySelector('main')?.append(status)

for (const button of document.querySelectorAll('button[data-copy]')) {
  const label = button.textContent
  button.hidden = false
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy)
    const result = await copy(source).then(
      () => pageText('Copied'),
      () => pageText('Select the text and copy it'),
    )
    button.textContent = result
    status.textContent = result
    setTimeout(() => {
      button.textContent = label
    }, 2000)
  })
}
