// Creates and uses passkeys. What needs them stays hidden in browsers without them.
if (globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON) {
  for (const element of document.querySelectorAll('[data-passkey], [data-needs-passkey]')) element.hidden = false
  for (const element of document.querySelectorAll('[data-no-passkey]')) element.hidden = true
}

const messages = {
  InvalidStateError: () => pageText('This device already has a passkey for your account.'),
  NotAllowedError: () => pageText('No passkey was used. Try again, or choose another way.'),
}

/** Asks the server for the options, and the authenticator for its reply. */
async function replyOf(form) {
  const options = await (await fetch(form.action, { headers: { accept: 'application/json' } })).json()
  const isNew = form.dataset.passkey === 'create'
  const { parseCreationOptionsFromJSON, parseRequestOptionsFromJSON } = PublicKeyCredential
  return isNew
    ? navigator.credentials.create({ publicKey: parseCreationOptionsFromJSON.call(PublicKeyCredential, options) })
    : navigator.credentials.get({ publicKey: parseRequestOptionsFromJSON.call(PublicKeyCredential, options) })
}

for (const form of document.querySelectorAll('form[data-passkey]'))
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const button = form.querySelector('button')
    const problem = form.querySelector('[role=alert]')
    button.disabled = true
    try {
      form.elements.namedItem('credential').value = JSON.stringify(await replyOf(form))
      form.submit()
    } catch (error) {
      problem.textContent = messages[error.name]?.() ?? pageText('The passkey cannot be used here. Reload the page.')
      problem.hidden = false
    } finally {
      button.disabled = false
    }
  })
