const pageTexts = JSON.parse(document.getElementById('page-texts')?.textContent ?? '{}') as Record<string, string>

/** Returns a text in the language of the page; `{name}` is replaced with a value. The page contains the translations. */
export const pageText = (text: string, values: Readonly<Record<string, string | number>> = {}): string =>
  (pageTexts[text] ?? text).replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder))
