import type { LanguageText } from './questionnaire.ts'

/** The default label of the choice yes of a boolean question. */
export const yesText: LanguageText = {
  en: 'Yes',
  fr: 'Oui',
  de: 'Ja',
  es: 'Sí',
  it: 'Sì',
  nl: 'Ja',
  pt: 'Sim',
  da: 'Ja',
  sv: 'Ja',
  pl: 'Tak',
  ar: 'نعم',
  hi: 'हाँ',
  ja: 'はい',
  ko: '예',
  tr: 'Evet',
  uk: 'Так',
  zh: '是',
}

/** The default label of the choice no of a boolean question. */
export const noText: LanguageText = {
  en: 'No',
  fr: 'Non',
  de: 'Nein',
  es: 'No',
  it: 'No',
  nl: 'Nee',
  pt: 'Não',
  da: 'Nej',
  sv: 'Nej',
  pl: 'Nie',
  ar: 'لا',
  hi: 'नहीं',
  ja: 'いいえ',
  ko: '아니요',
  tr: 'Hayır',
  uk: 'Ні',
  zh: '否',
}
