/** Returns a number with its noun: `1 contact`, `2 contacts`, `1,000 contacts`. */
export const pluralize = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? singular : plural}`
