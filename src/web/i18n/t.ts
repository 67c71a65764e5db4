import { fillPlaceholders, type PlaceholderValues } from '../../lib/placeholders.ts'
import { pageCatalog, pageLanguage } from './page-locale.ts'

/**
 * Returns a text in the language of the page. Replaces `{name}` with the value of that name. Keeps white space at the
 * beginning and the end of the text.
 * @param text an English text. It must be a literal, because `test/web/page-texts.test.ts` collects it from the source
 *   code.
 */
export function t(text: string, values: PlaceholderValues = {}): string {
  const key = text.trim()
  const translation = pageCatalog()?.texts.get(key)
  const template = translation === undefined ? text : text.replace(key, () => translation)
  return fillPlaceholders(template, values)
}

/** Returns a function that returns a value which contains texts. The value is created only once for each language. */
export function perLanguage<Value>(create: () => Value): () => Value {
  const values = new Map<string, Value>()
  return () => {
    const language = pageLanguage()
    if (!values.has(language)) values.set(language, create())
    return values.get(language)!
  }
}
