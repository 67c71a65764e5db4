/** The values of placeholders by name. */
export type PlaceholderValues = Readonly<Record<string, unknown>>

/** Replaces the placeholders of a text, such as `{n}`. A placeholder without a value stays. */
export const fillPlaceholders = (text: string, values: PlaceholderValues): string =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : placeholder,
  )
