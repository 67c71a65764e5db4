/** A text whose form depends on a number, such as “1 character” and “2 characters”. */
export interface PluralText {
  /** The name of the placeholder whose value selects the form. */
  by: string
  /** The forms by plural category of the language (CLDR). */
  forms: PluralForms
  rules: Intl.PluralRules
}
export type PluralForms = Partial<Readonly<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }
export type Text = string | PluralText

/**
 * Returns a function that creates the plural texts of a language.
 * @param code the language code
 */
export function pluralIn(code: string): (by: string, forms: PluralForms) => PluralText {
  const rules = new Intl.PluralRules(code)
  return (by, forms) => ({ by, forms, rules })
}

type Values = Readonly<Record<string, string | number>>

function formOf({ by, forms, rules }: PluralText, values: Values): string {
  return forms[rules.select(Number(values[by]))] ?? forms.other
}

/** Replaces the placeholders of a text, such as `{n}`. */
export const fill = (text: Text, values: Values = {}): string =>
  (typeof text === 'string' ? text : formOf(text, values)).replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : placeholder,
  )

/** Returns the form of a text that is used for most numbers. */
export const mainForm = (text: Text): string => (typeof text === 'string' ? text : text.forms.other)
