/** The fields of a submitted form, by name. */
export type FormFields = Readonly<Record<string, string | readonly string[]>>

/** Returns the value of a field. If the form contains the field several times, returns the last value. */
export const formValue = (fields: FormFields, name: string): string | undefined => {
  const value = fields[name]
  return typeof value === 'string' ? value : value?.at(-1)
}

/** Returns all values of a field, in the order in which the browser sent them. */
export const formValues = (fields: FormFields, name: string): readonly string[] => {
  const value = fields[name]
  return value === undefined ? [] : typeof value === 'string' ? [value] : value
}

/** Returns the fields of a parsed body. Returns no fields if the body is not a form. */
export const parseFormFields = (body: unknown): FormFields =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as FormFields) : {}
