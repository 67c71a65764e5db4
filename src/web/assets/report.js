// Loads the slow parts of a report after the rest.
for (const place of document.querySelectorAll('[data-deferred]')) {
  const link = place.querySelector('a')
  const said = place.querySelector('[data-progress]')
  if (!link || !said) continue
  said.textContent = 'Counting…'
  fetch(link.href)
    .then(async (reply) => {
      if (!reply.ok) throw new Error(String(reply.status))
      const page = new DOMParser().parseFromString(await reply.text(), 'text/html')
      const found = page.querySelector('[data-deferred-content]')
      if (!found) throw new Error('nothing there')
      place.replaceWith(document.adoptNode(found))
    })
    .catch(() => {
      said.textContent = ''
    })
}
