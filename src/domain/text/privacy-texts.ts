import { baseLanguage, defaultTexts } from './catalog.ts'
import { ar, hi, ja, ko, pl, tr, uk, zh } from './privacy/other-languages.ts'
import type { PrivacyTexts } from './privacy/texts.ts'
import { de, en, es, fr, it, nl, pt } from './privacy/western-european.ts'

/** The texts by language code, for every language of survey pages. */
export const privacyTexts: Readonly<Record<string, PrivacyTexts>> = {
  ...{ en, fr, de, es, it, nl, pt },
  ...{ ar, hi, ja, ko, pl, tr, uk, zh },
}

/** Returns the texts in a language, and their language. If there is no translation, both are English. */
export function privacyTextsFor(code: string): { texts: PrivacyTexts; language: string } {
  const { language } = defaultTexts(code)
  return { texts: privacyTexts[baseLanguage(language)]!, language }
}
