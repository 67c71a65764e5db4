import { existsSync, readdirSync, readFileSync } from 'node:fs'
import names from '../texts/languages.json' with { type: 'json' }
import { fillPlaceholders } from './placeholders.ts'

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
  fillPlaceholders(typeof text === 'string' ? text : formOf(text, values), values)

/** Returns the form of a text that is used for most numbers. */
export const mainForm = (text: Text): string => (typeof text === 'string' ? text : text.forms.other)

/**
 * The names of all languages that have texts, by language code, in the order of `src/texts/languages.json`. Each name is
 * in the language itself.
 */
export const languageNames: Readonly<Record<string, string>> = names

const fileOf = (language: string, name: string): URL => new URL(`../texts/${language}/${name}`, import.meta.url)

const parse = <Content>(file: URL): Content => JSON.parse(readFileSync(file, 'utf8')) as Content

/**
 * Returns the content of a file of texts in each language that has this file. The file of a language is read when the
 * language is first used.
 * @param name the name of a JSON file, or, with a `/` at its end, of a folder whose files are read as one
 * @param create returns the value for the content of the file
 */
export function byLanguage<Content, Value = Content>(
  name: string,
  create: (content: Content, language: string) => Value = (content) => content as unknown as Value,
): Readonly<Record<string, Value>> {
  const values: Record<string, Value> = {}
  for (const language of Object.keys(names).filter((language) => existsSync(fileOf(language, name))))
    Object.defineProperty(values, language, {
      enumerable: true,
      configurable: true,
      get: () => {
        const value = create(read<Content>(language, name), language)
        Object.defineProperty(values, language, { value, enumerable: true })
        return value
      },
    })
  return values
}

/** Reads a file, or all files of a folder, as one object. */
function read<Content>(language: string, name: string): Content {
  const file = fileOf(language, name)
  return name.endsWith('/')
    ? Object.assign({}, ...readdirSync(file).map((one) => parse(new URL(one, file))))
    : parse(file)
}

/** A text in a file: a string, or, with the placeholder whose number selects the form, a form for each category. */
export type WrittenText = string | (PluralForms & { readonly by: string })

/** A type in which each text that has plural forms in the file is a {@link Text}. */
export type Loaded<Written> = {
  readonly [Name in keyof Written]: Written[Name] extends string
    ? string
    : Written[Name] extends WrittenText
      ? Text
      : Loaded<Written[Name]>
}

/** Returns the texts of a file, with the plural rules of their language. */
export function withPlurals<Written extends object>(texts: Written, language: string): Loaded<Written> {
  const plural = pluralIn(language)
  const load = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if ('by' in value) {
      const { by, ...forms } = value as PluralForms & { by: string }
      return plural(by, forms)
    }
    return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, load(text)]))
  }
  return load(texts) as Loaded<Written>
}
