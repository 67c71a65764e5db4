/** Returns a number with its noun: `1 contact`, `2 contacts`, `1,000 contacts`. */
export const pluralize = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? singular : plural}`

/** Returns a text with its first letter in upper case. */
export const capitalize = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
