import { t } from './t.ts'

/**
 * A text that is stored and later shown to users with other languages. It consists of an English text and the values in
 * it.
 */
export interface StoredText {
  text: string
  values: Readonly<Record<string, string | number | StoredText>>
}

/**
 * Creates a text that is translated when it is shown.
 * @param text an English text. It must be a literal, because `test/web/page-texts.test.ts` collects it from the source
 *   code.
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

/**
 * The first characters of every serialized text. Earlier versions of Canvass stored the finished sentence instead.
 */
const PREFIX = '{"text":'

/** Serializes a text so that it can be stored. */
export const serializeText = (stored: StoredText): string => JSON.stringify(stored)

/**
 * Returns a serialized text in the language of the page. A finished sentence that an earlier version stored is
 * translated if it has a translation, and otherwise stays as it is.
 */
export const restoredText = (serialized: string): string =>
  serialized.startsWith(PREFIX) ? shownText(JSON.parse(serialized) as StoredText) : t(serialized)
