const pageTexts = JSON.parse(document.getElementById('page-texts')?.textContent ?? '{}') as Record<string, string>

/**
 * Translates a text to the language of the page, and replaces `{name}` with the value of that name. The page contains
 * the translations.
 */
export const pageText = (text: string, values: Readonly<Record<string, string | number>> = {}): string =>
  (pageTexts[text] ?? text).replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder))
