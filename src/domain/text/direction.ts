import { baseLanguage } from './catalog.ts'

/** Languages that are written from right to left. */
const rightToLeft = new Set(['ar', 'arc', 'ckb', 'dv', 'fa', 'he', 'ks', 'ps', 'sd', 'ug', 'ur', 'yi'])

/** Returns the writing direction of a language (`dir` of HTML). */
export const directionOf = (code: string): 'ltr' | 'rtl' => (rightToLeft.has(baseLanguage(code)) ? 'rtl' : 'ltr')
