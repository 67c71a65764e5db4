import type { LanguageText } from './questionnaire.ts'

/** What a boolean question offers when its author gave no two labels of their own. */
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
}

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
}
