import { baseLanguage, defaultTexts } from '../catalog.ts'
import { ar, hi, ja, ko, pl, tr, uk, zh } from './other-languages.ts'
import { de, en, es, fr, it, nl, pt } from './western-european.ts'

/**
 * The texts of the page about the data that a survey stores. Unlike the other texts of survey pages, the owner of a
 * survey cannot replace them.
 */
export interface PrivacyTexts {
  title: string
  intro: string
  storedTitle: string
  answers: string
  files: string
  number: string
  progress: string
  hours: string
  times: string
  language: string
  /** `{n}`: the number of links. */
  link: string
  duration: string
  source: string
  network: string
  invitation: string
  /** `{host}`: the host at which respondents sign in. */
  signIn: string
  redirect: string
  hiddenTitle: string
  minute: string
  noOtherSites: string
  visibleTitle: string
  arrival: string
  used: string
  written: string
  operator: string
  changesTitle: string
  none: string
  questions: string
  counts: string
  opened: string
  closed: string
  anonymous: string
  settings: string
}

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
