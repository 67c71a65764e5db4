import { pageLanguage } from './page-locale.ts'

/** Returns the items as a list in the language of the page: “read and write”. */
export const formatList = (items: readonly string[]): string =>
  new Intl.ListFormat(pageLanguage(), { type: 'conjunction' }).format(items)
