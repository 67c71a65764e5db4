import { pageCatalog, pageLanguage } from './page-locale.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * Returns a text in the language of the page. `{name}` is replaced with a value; white space at the edges stays.
 * @param text in English, a literal: `test/web/page-texts.test.ts` collects it
 */
export function t(text: string, values: Values = {}): string {
  const key = text.trim()
  const translation = pageCatalog()?.texts.get(key)
  const template = translation === undefined ? text : text.replace(key, () => translation)
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : placeholder,
  )
}

/** Returns a function that creates a value with texts once for each language. */
export function perLanguage<Value>(create: () => Value): () => Value {
  const values = new Map<string, Value>()
  return () => {
    const language = pageLanguage()
    if (!values.has(language)) values.set(language, create())
    return values.get(language)!
  }
}
