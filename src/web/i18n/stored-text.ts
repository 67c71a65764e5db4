import { t } from './t.ts'

/** A text that is stored, and shown later to readers in other languages: an English text and its values. */
export interface StoredText {
  text: string
  values: Readonly<Record<string, string | number | StoredText>>
}

/**
 * Creates a text that is translated when it is shown.
 * @param text in English, a literal: `test/web/page-texts.test.ts` collects it
 */
export const storedText = (text: string, values: StoredText['values'] = {}): StoredText => ({ text, values })

/** Returns a text in the language of the page. */
export const shownText = ({ text, values }: StoredText): string =>
  t(
    text,
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, typeof value === 'object' ? shownText(value) : value]),
    ),
  )

/** The beginning of a stored text with values; earlier versions stored the finished sentence. */
const PREFIX = '{"text":'

/** Returns a text as it is stored. */
export const serializeText = (stored: StoredText): string => JSON.stringify(stored)

/** Returns a serialized text in the language of the page. A finished sentence of an earlier version stays as it is. */
export const restoredText = (serialized: string): string =>
  serialized.startsWith(PREFIX) ? shownText(JSON.parse(serialized) as StoredText) : t(serialized)
