/** How many there are of something: `1 contact`, `2 contacts`, `1,000 contacts`. */
export const pluralize = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`
