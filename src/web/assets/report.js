// Loads the slow parts of a report after the rest of the page.
for (const section of document.querySelectorAll('[data-deferred]')) {
  const link = section.querySelector('a')
  const status = section.querySelector('[data-progress]')
  if (!link || !status) continue
  status.textContent = pageText('Counting…')
  fetch(link.href)
    .then(async (reply) => {
      if (!reply.ok) throw new Error(String(reply.status))
      const page = new DOMParser().parseFromString(await reply.text(), 'text/html')
      const content = page.querySelector('[data-deferred-content]')
      if (!content) throw new Error('The page has no deferred content')
      section.replaceWith(document.adoptNode(content))
    })
    .catch(() => {
      status.textContent = ''
    })
}
