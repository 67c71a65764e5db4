// Opens a survey in a dialog when a visitor presses the button of an embed (kind "popup"). The script runs on other
// websites, so it has no dependencies. If a page contains several snippets from the same server, the first copy of the
// script opens the surveys of all of them.
;(() => {
  const home = new URL(document.currentScript.src).origin
  window.canvassPopups ??= new Set()
  if (window.canvassPopups.has(home)) return
  window.canvassPopups.add(home)

  const style = (element, rules) => Object.assign(element.style, rules)

  function frame(address, title) {
    const iframe = document.createElement('iframe')
    iframe.src = address
    iframe.title = title
    style(iframe, { display: 'block', border: '0', width: '100%', height: '100%' })
    return iframe
  }

  function closer(dialog) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = '\u00d7'
    button.setAttribute('aria-label', 'Close')
    style(button, {
      position: 'absolute',
      top: '8px',
      right: '8px',
      width: '44px',
      height: '44px',
      font: '24px/1 sans-serif',
      color: '#1b1b1b',
      background: '#fff',
      border: '1px solid #767676',
      borderRadius: '50%',
      cursor: 'pointer',
    })
    button.addEventListener('click', () => dialog.close())
    return button
  }

  function open(address, title) {
    const dialog = document.createElement('dialog')
    if (!dialog.showModal) return window.open(address)
    dialog.setAttribute('aria-label', title)
    style(dialog, {
      boxSizing: 'border-box',
      // Room for the button above the survey.
      padding: '60px 0 0',
      background: '#fff',
      border: '0',
      borderRadius: '8px',
      overflow: 'hidden',
      width: 'min(720px, 100vw - 24px)',
      height: 'min(860px, 100vh - 24px)',
    })
    // The button comes first to get the focus: Escape and Enter close the dialog.
    dialog.append(closer(dialog), frame(address, title))
    dialog.addEventListener('close', () => dialog.remove())
    document.body.append(dialog)
    dialog.showModal()
  }

  document.addEventListener('click', (event) => {
    const button = event.target.closest?.('button[data-canvass-survey]')
    const address = button?.dataset.canvassSurvey
    // Opens only surveys of the server that served this script.
    if (address?.startsWith(`${home}/`)) open(address, button.dataset.canvassTitle || button.textContent)
  })
})()
