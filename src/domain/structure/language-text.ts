import type { LanguageText } from './questionnaire.ts'
import { isRecord, membersOf } from './walk.ts'

/**
 * Converts an authored text to a language object. A string becomes the text of the given language.
 * @returns undefined for a value that is not a text
 */
export function toLanguageText(value: unknown, code: string): LanguageText | undefined {
  if (typeof value === 'string') return { [code]: value }
  return isRecord(value) ? (value as LanguageText) : undefined
}

/** Returns a frozen copy of a language object, reduced to its string members. */
export function textOf(value: unknown): LanguageText {
  const entries = Object.entries(membersOf(value))
  return Object.freeze(
    Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
  )
}

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

/** The names of parts of answers in headings of exports, and the labels of new choices and rows, by language. */
const WORDS = {
  other: {
    ...{ en: 'other', fr: 'autre', de: 'Sonstiges', es: 'otro', it: 'altro', nl: 'anders', pt: 'outro', da: 'andet' },
    ...{
      sv: 'annat',
      pl: 'inne',
      ar: 'أخرى',
      hi: 'अन्य',
      ja: 'その他',
      ko: '기타',
      tr: 'diğer',
      uk: 'інше',
      zh: '其他',
    },
  },
  version: {
    ...{ en: 'version', fr: 'version', de: 'Version', es: 'versión', it: 'versione', nl: 'versie', pt: 'versão' },
    ...{ da: 'version', sv: 'version', pl: 'wersja', ar: 'الإصدار', hi: 'संस्करण', ja: 'バージョン', ko: '버전' },
    ...{ tr: 'sürüm', uk: 'версія', zh: '版本' },
  },
  text: {
    ...{ en: 'text', fr: 'texte', de: 'Text', es: 'texto', it: 'testo', nl: 'tekst', pt: 'texto', da: 'tekst' },
    ...{ sv: 'text', pl: 'tekst', ar: 'النص', hi: 'पाठ', ja: '本文', ko: '본문', tr: 'metin', uk: 'текст', zh: '文本' },
  },
  image: {
    ...{ en: 'image', fr: 'image', de: 'Bild', es: 'imagen', it: 'immagine', nl: 'afbeelding', pt: 'imagem' },
    ...{ da: 'billede', sv: 'bild', pl: 'obraz', ar: 'صورة', hi: 'छवि', ja: '画像', ko: '이미지', tr: 'görsel' },
    ...{ uk: 'зображення', zh: '图像' },
  },
  removed: {
    ...{ en: 'removed', fr: 'supprimé', de: 'entfernt', es: 'eliminado', it: 'rimosso', nl: 'verwijderd' },
    ...{ pt: 'removido', da: 'fjernet', sv: 'borttaget', pl: 'usunięte', ar: 'محذوف', hi: 'हटाया गया', ja: '削除済み' },
    ...{ ko: '삭제됨', tr: 'kaldırıldı', uk: 'вилучено', zh: '已删除' },
  },
  'removed choices': {
    ...{ en: 'removed choices', fr: 'choix supprimés', de: 'entfernte Auswahl', es: 'opciones eliminadas' },
    ...{ it: 'scelte rimosse', nl: 'verwijderde keuzes', pt: 'opções removidas', da: 'fjernede valg' },
    ...{ sv: 'borttagna val', pl: 'usunięte odpowiedzi', ar: 'خيارات محذوفة', hi: 'हटाए गए विकल्प' },
    ...{
      ja: '削除された選択肢',
      ko: '삭제된 선택지',
      tr: 'kaldırılan seçenekler',
      uk: 'вилучені варіанти',
      zh: '已删除的选项',
    },
  },
  'new choice': {
    ...{ en: 'Choice', fr: 'Choix', de: 'Möglichkeit', es: 'Opción', it: 'Opzione', nl: 'Keuze', pt: 'Opção' },
    ...{ da: 'Valg', sv: 'Val', pl: 'Opcja', ar: 'خيار', hi: 'विकल्प', ja: '選択肢', ko: '선택지', tr: 'Seçenek' },
    ...{ ru: 'Вариант', uk: 'Варіант', zh: '选项' },
  },
  'new row': {
    ...{ en: 'Row', fr: 'Ligne', de: 'Zeile', es: 'Fila', it: 'Riga', nl: 'Rij', pt: 'Linha', da: 'Række' },
    ...{ sv: 'Rad', pl: 'Wiersz', ar: 'صف', hi: 'पंक्ति', ja: '行', ko: '행', tr: 'Satır', ru: 'Строка' },
    ...{ uk: 'Рядок', zh: '行' },
  },
  yes: yesText,
  no: noText,
} as const satisfies Record<string, LanguageText>

export type PartWord = keyof typeof WORDS

/** Returns the name of a part of an answer in a language (`de-AT` is `de`); in English if there is no translation. */
export function partWord(word: PartWord, language: string): string {
  const texts: LanguageText = WORDS[word]
  return texts[language.split(/[-_]/, 1)[0]!.toLowerCase()] ?? texts.en!
}
