/** The package has no types: a list of words for each language, by its code of ISO 639-3. */
declare module 'stopword' {
  const lists: Readonly<Record<string, readonly string[]>>
  export default lists
}
