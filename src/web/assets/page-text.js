const pageTexts = JSON.parse(document.getElementById('page-texts')?.textContent ?? '{}')

/** Returns a text in the language of the page; `{name}` is replaced with a value. The page contains the translations. */
globalThis.pageText = (text, values = {}) =>
  (pageTexts[text] ?? text).replace(/\{(\w+)\}/g, (placeholder, name) => values[name] ?? placeholder)
